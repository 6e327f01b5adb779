import type { AnyCommand } from "../../framework/command.ts";
import { create as scansCreate } from "./create.ts";
import { delta } from "./delta.ts";
import { get as scansGet } from "./get.ts";
import { summary as scansSummary } from "./summary.ts";

/** The commands of `claims scans`; one comes before those of which it is the group. */
export const commands: readonly AnyCommand[] = [scansCreate, scansGet, scansSummary, delta];
