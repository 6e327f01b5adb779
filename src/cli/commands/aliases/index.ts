import type { AnyCommand } from "../../framework/command.ts";
import { audit } from "./audit/audit.ts";
import { list as aliasesList } from "./list.ts";
import { sunset } from "./sunset.ts";

/** The commands of `claims aliases`; one comes before those of which it is the group. */
export const commands: readonly AnyCommand[] = [aliasesList, audit, sunset];
