import type { AnyCommand } from "../../framework/command.ts";
import { create as notificationsCreate } from "./create.ts";

/** The commands of `claims notifications`; one comes before those of which it is the group. */
export const commands: readonly AnyCommand[] = [notificationsCreate];
