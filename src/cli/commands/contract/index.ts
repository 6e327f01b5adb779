import type { AnyCommand } from "../../framework/command.ts";
import { assumptions } from "./assumptions/assumptions.ts";
import { check as contractCheck } from "./check.ts";
import { diff } from "./diff.ts";
import { fetch } from "./fetch.ts";
import { hash } from "./hash.ts";
import { pin } from "./pin.ts";

/** The commands of `claims contract`; one comes before those of which it is the group. */
export const commands: readonly AnyCommand[] = [fetch, hash, pin, contractCheck, diff, assumptions];
