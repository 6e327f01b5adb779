import { create } from "./create.ts";

export const commands = [create];
