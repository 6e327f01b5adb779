import { list } from "./list.ts";
import { remove } from "./remove.ts";
import { set } from "./set.ts";
import { show } from "./show.ts";
import { use } from "./use.ts";

export const commands = [list, use, show, set, remove];
