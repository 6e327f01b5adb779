import { credentialError } from "../../../domain/errors.ts";
import type { Connection } from "../../connection/connection.ts";
import { isDryRun } from "../../connection/service.ts";
import type { BaseInvocation } from "../../framework/command.ts";

/** These commands read much at once: production needs a word, and a write names it. @throws ClaimsError `production_not_confirmed` */
export function requireConfirmation(
  { global }: BaseInvocation,
  { baseUrl, environment }: Connection,
  { yes, writes = false }: { readonly yes: boolean | undefined; readonly writes?: boolean },
): void {
  if (environment !== "production" || isDryRun(global)) return;
  if (yes && (!writes || global.environment === "production")) return;
  const [verb, hint] = writes
    ? ["writes to", "give --environment production and --yes to write to it"]
    : ["reads", "give --yes to read it; nothing is written"];
  throw credentialError("production_not_confirmed", `this ${verb} PRODUCTION (${baseUrl})`, { hint });
}
