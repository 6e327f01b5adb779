import type { AnyCommand } from "../../framework/command.ts";
import { create as clientsCreate } from "./create.ts";
import { list as clientsList } from "./list.ts";

/** The commands of `claims clients`; one comes before those of which it is the group. */
export const commands: readonly AnyCommand[] = [clientsList, clientsCreate];
