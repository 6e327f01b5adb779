import type { AnyCommand } from "../../framework/command.ts";
import { get as orgsGet } from "./get.ts";
import { onboard } from "./onboard.ts";

/** The commands of `claims orgs`; one comes before those of which it is the group. */
export const commands: readonly AnyCommand[] = [orgsGet, onboard];
