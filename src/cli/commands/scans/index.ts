import type { AnyCommand } from "../../framework/command.ts";
import { create } from "./create.ts";
import { delta } from "./delta.ts";
import { get } from "./get.ts";
import { summary } from "./summary.ts";

export const commands: readonly AnyCommand[] = [create, get, summary, delta];
