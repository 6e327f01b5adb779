import type { AnyCommand } from "../../framework/command.ts";
import { create as offersCreate } from "./create.ts";
import { list as offersList } from "./list.ts";

/** The commands of `claims offers`; one comes before those of which it is the group. */
export const commands: readonly AnyCommand[] = [offersList, offersCreate];
