import { randomUUID } from "node:crypto";
import type { ReceiverRule } from "../../../conformance/receiver/rules.ts";
import { planParts, runReceiverTrial } from "../../../conformance/receiver/run-trial.ts";
import type { ReceiverTrial } from "../../../conformance/receiver/trial.ts";
import { usageError } from "../../../domain/errors.ts";
import type { Context } from "../../context.ts";
import { startProgress } from "../../output/progress.ts";
import { createCaseSender, createDeliverySender } from "../webhooks/probe/send.ts";
import { RECEIVER_TIMEOUT_MS } from "../webhooks/receiver-response.ts";
import { refuseStdinConflict, requireCleanSecret, requireSecrets } from "../webhooks/signing-secrets.ts";
import { openEffectsCounter } from "./effects-counter.ts";
import type { ConformanceOptions } from "./options.ts";

const DEFAULT_EVENT = "partner.test";

/** Sends a receiver what the rules are about. */
export async function runReceiver(
  context: Context,
  url: URL,
  rules: readonly ReceiverRule[],
  options: ConformanceOptions,
): Promise<ReceiverTrial> {
  const { caFile, effectsUrl, event = DEFAULT_EVENT, header = [], secretFile = [] } = options;
  const { timeout: timeoutMs = RECEIVER_TIMEOUT_MS } = options;
  refuseStdinConflict([...secretFile, ...header.map((text) => text.replace(/^@/, ""))], false);
  const sources = { secretFile, secretStdin: undefined, profile: undefined };
  const [secret, ...others] = (await requireSecrets(context, sources)).map(requireCleanSecret);
  if (secret === undefined || others.length > 1)
    throw usageError("multiple_secrets", `${others.length + 1} secrets given, expected one or two`, {
      hint: "give --secret-file for the secret of the endpoint, and again for the one that replaces it",
    });
  const send = await createDeliverySender(context, url, options);
  const readEffects =
    effectsUrl === undefined
      ? undefined
      : await openEffectsCounter(context, { url: effectsUrl, timeoutMs, caFile });
  await readEffects?.();
  const parts = planParts(rules);
  const progress = startProgress(context.stderr, `grading ${url.host}`);
  try {
    return await runReceiverTrial({
      parts,
      secrets: [secret, ...others],
      event,
      createId: randomUUID,
      timeoutMs,
      sendCase: createCaseSender(context, send, { secret, event }),
      send: (delivery) => send(delivery, secret),
      readEffects,
      now: context.now,
      sleep: (milliseconds) => context.sleep(milliseconds, context.signal),
      onPart: (part) =>
        progress.update(`grading ${url.host}: ${parts.indexOf(part) + 1} of ${parts.length}, ${part}`),
    });
  } finally {
    progress.stop();
  }
}
