import type { AnyCommand } from "../../framework/command.ts";
import { assumptions } from "./assumptions/assumptions.ts";
import { check } from "./check.ts";
import { diff } from "./diff.ts";
import { fetch } from "./fetch.ts";
import { formCommands } from "./form/index.ts";
import { hash } from "./hash.ts";
import { learn } from "./learn/learn.ts";
import { pin } from "./pin.ts";

export const commands: readonly AnyCommand[] = [
  fetch,
  hash,
  pin,
  check,
  diff,
  assumptions,
  learn,
  ...formCommands,
];
