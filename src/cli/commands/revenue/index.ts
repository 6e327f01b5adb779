import type { AnyCommand } from "../../framework/command.ts";
import { dashboard } from "./dashboard.ts";
import { ledger } from "./ledger.ts";

/** The commands of `claims revenue`; one comes before those of which it is the group. */
export const commands: readonly AnyCommand[] = [ledger, dashboard];
