import type { AnyCommand } from "../../framework/command.ts";
import { check } from "./check/check.ts";
import { learn } from "./learn/learn.ts";

export const commands: readonly AnyCommand[] = [learn, check];
