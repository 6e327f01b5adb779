import type { AnyCommand } from "../../framework/command.ts";
import { enroll } from "./enroll.ts";

/** The commands of `claims litigation`; one comes before those of which it is the group. */
export const commands: readonly AnyCommand[] = [enroll];
