import { create } from "./create.ts";
import { list } from "./list.ts";
import { status } from "./status.ts";

export const commands = [list, create, status];
