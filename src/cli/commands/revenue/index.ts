import { dashboard } from "./dashboard.ts";
import { ledger } from "./ledger.ts";

export const commands = [ledger, dashboard];
