import { create } from "./create.ts";
import { list } from "./list.ts";

export const commands = [list, create];
