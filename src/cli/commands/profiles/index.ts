import type { AnyCommand } from "../../framework/command.ts";
import { list as profilesList } from "./list.ts";
import { remove } from "./remove.ts";
import { set } from "./set.ts";
import { show } from "./show.ts";
import { use } from "./use.ts";

/** The commands of `claims profiles`; one comes before those of which it is the group. */
export const commands: readonly AnyCommand[] = [profilesList, use, show, set, remove];
