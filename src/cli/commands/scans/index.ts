import { create } from "./create.ts";
import { delta } from "./delta.ts";
import { get } from "./get.ts";
import { summary } from "./summary.ts";

export const commands = [create, get, summary, delta];
