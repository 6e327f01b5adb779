import type { AnyCommand } from "../../framework/command.ts";
import { enroll } from "./enroll.ts";

export const commands: readonly AnyCommand[] = [enroll];
