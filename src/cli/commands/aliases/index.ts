import type { AnyCommand } from "../../framework/command.ts";
import { audit } from "./audit/audit.ts";
import { list } from "./list.ts";
import { sunset } from "./sunset.ts";

export const commands: readonly AnyCommand[] = [list, audit, sunset];
