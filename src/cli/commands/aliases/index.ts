import { audit } from "./audit.ts";
import { list } from "./list.ts";
import { sunset } from "./sunset.ts";

export const commands = [list, audit, sunset];
