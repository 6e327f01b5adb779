import { needsDecisionError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import { isUnrecognized, unrecognizedBeforeError } from "./decision.ts";
import type { ResendOptions } from "./write-options.ts";
import type { WriteRecord } from "./write-record.ts";

/** A service keeps keys for a limited, assumed time of 24 hours. */
const DEFAULT_KEY_LIFETIME_MS = 23 * 3_600_000;

/** A later intent is of a clock that was wrong. */
const MAX_FUTURE_MS = 5 * 60_000;

/**
 * Refuses to send a write again that the service may execute twice: it keeps no keys, or has forgotten this one.
 *
 * @throws ClaimsError of kind `needs_decision`
 */
export async function refuseResend(
  context: Pick<Context, "now">,
  record: WriteRecord,
  { keyLifetime = DEFAULT_KEY_LIFETIME_MS, resendUnknown = false }: ResendOptions,
  isKeySupported: () => Promise<boolean>,
): Promise<void> {
  if (resendUnknown) return;
  if (isUnrecognized(record)) throw unrecognizedBeforeError(record);
  const ageMs = context.now() - Date.parse(record.at);
  const isOld = !(ageMs >= -MAX_FUTURE_MS && ageMs < keyLifetime);
  const isAccepted = record.outcome === "accepted";
  if (!isOld && (isAccepted || (await isKeySupported()))) return;
  const { at, key } = record;
  const reason = isOld
    ? "the service may have forgotten the key since"
    : "the service's contract has no Idempotency-Key";
  const write = `the write sent at ${at} under the key ${key}`;
  const state = isAccepted ? `${write} was accepted` : `the outcome of ${write} is unknown`;
  const message = `${state}, and ${reason}; it was not sent again`;
  throw needsDecisionError(isAccepted ? "key_expired" : "outcome_unknown", message, {
    hint: isAccepted
      ? "take another key, or send it again with --resend-unknown"
      : `look for it on the service; \`claims history resolve ${key}\` records what happened, or --resend-unknown sends it again`,
  });
}
