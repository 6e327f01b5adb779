import { unreachableError, usageError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { type CaseId, CONTROL_CASE, getCase, listCaseIds } from "../../../../domain/webhooks/probe/cases.ts";
import {
  type ProbeResponse,
  type ProbeResponses,
  refusesSimplest,
} from "../../../../domain/webhooks/probe/responses.ts";
import type { Context } from "../../../context.ts";
import type { Output } from "../../../output/output.ts";
import { startProgress } from "../../../output/progress.ts";
import { finishReport, joinShellWords, readGate, selectRules } from "../../conformance/gate.ts";
import { parseTarget } from "../options.ts";
import { RECEIVER_TIMEOUT_MS } from "../receiver-response.ts";
import { refuseStdinConflict, requireCleanSecret, requireSecrets } from "../signing-secrets.ts";
import type { ProbeOptions } from "./probe.ts";
import { judgeCases, renderCases, renderProbe } from "./report.ts";
import { createCaseSender, createDeliverySender, openEffectsCounter } from "./send.ts";

/** A receiver that does not respond to so many deliveries at the start will not respond to the next one. */
const MAX_WITHOUT_RESPONSE = 3;
const DEFAULT_EVENT = "partner.test";

export async function runProbe(context: Context, address: string, options: ProbeOptions): Promise<Output> {
  const url = new URL(parseTarget(address));
  const all = listCaseIds().map((id) => ({ id }));
  const selected = selectRules(all, options.only).map(({ id }) => id);
  if (options.dryRun && options.report)
    throw usageError("option_conflict", "--report does not go with --dry-run, which sends nothing", {
      hint: "leave out one of them; --dry-run --json prints the cases",
    });
  if (options.dryRun) return renderCases(url, selected);
  const gate = await readGate(context, options, all);
  const { header = [], secretFile = [], secretStdin } = options;
  refuseStdinConflict([...secretFile, ...header.map((text) => text.replace(/^@/, ""))], secretStdin);
  const [secret, ...others] = (await requireSecrets(context, options)).map(requireCleanSecret);
  if (secret === undefined || others.length > 1)
    throw usageError("option_conflict", `${others.length + 1} secrets given, expected one or two`, {
      hint: "give --secret-file for the secret of the endpoint, and again for the one that replaces it",
    });
  const { responses, isCounted } = await sendCases(context, url, {
    selected,
    secrets: [secret, others[0]],
    options,
  });
  const report = await finishReport(context, options, {
    subject: { mode: "receiver", command: [url.href], seed: null, grease: [], version: context.version },
    gate,
    scenarios: [],
    results: judgeCases(selected, responses, { hasSecondSecret: others.length > 0, isCounted }),
    repeat: (id) =>
      joinShellWords([
        ...["claims", "webhooks", "probe", url.href, "--only", id],
        ...secretFile.flatMap((file) => ["--secret-file", file]),
        ...(options.effectsUrl === undefined ? [] : ["--effects-url", options.effectsUrl]),
      ]),
  });
  return renderProbe(report, url, responses);
}

interface Sending {
  readonly selected: readonly CaseId[];
  readonly secrets: readonly [secret: string, secondSecret: string | undefined];
  readonly options: ProbeOptions;
}

async function sendCases(context: Context, url: URL, { selected, secrets, options }: Sending) {
  const { event = DEFAULT_EVENT, effectsUrl, timeout: timeoutMs = RECEIVER_TIMEOUT_MS } = options;
  const [secret, secondSecret] = secrets;
  const sendDelivery = await createDeliverySender(context, url, options);
  const readEffects =
    effectsUrl === undefined ? undefined : await openEffectsCounter(context, effectsUrl, options);
  await readEffects?.();
  const createSender = (first: string, second: string | undefined) =>
    createCaseSender(context, sendDelivery, {
      secret: first,
      secondSecret: second,
      event,
      readEffects,
      timeoutMs,
    });
  let send = createSender(secret, secondSecret);
  const responses = new Map<CaseId, ProbeResponse>([[CONTROL_CASE, await send(CONTROL_CASE)]]);
  if (secondSecret !== undefined && refusesSimplest(responses)) {
    // A rotation that has dropped the old secret must not hide everything else.
    const swapped = createSender(secondSecret, secret);
    const control = await swapped(CONTROL_CASE);
    if (control.outcome === "accepted") {
      send = swapped;
      responses.set(CONTROL_CASE, control);
    }
  }
  const isPossible = (id: CaseId) => {
    const { needsSecondSecret, countsEffects, findsCause } = getCase(id);
    if (responses.has(id) || (needsSecondSecret && !secondSecret)) return false;
    if (countsEffects && (!readEffects || refusesSimplest(responses))) return false;
    return !findsCause || refusesSimplest(responses);
  };
  const progress = startProgress(context.stderr, `probing ${url.host}`);
  try {
    for (const id of selected) {
      if (!isPossible(id)) continue;
      progress.update(`probing ${url.host}: ${responses.size + 1} of ${selected.length}, ${id}`);
      responses.set(id, await send(id));
      if (hasNoResponse(responses)) throw silenceError(url, (await send(FORGED_CASE)).outcome);
    }
  } finally {
    progress.stop();
  }
  return { responses, isCounted: readEffects !== undefined };
}

const hasNoResponse = (responses: ProbeResponses): boolean =>
  responses.size === MAX_WITHOUT_RESPONSE &&
  [...responses.values()].every(({ outcome }) => outcome === "no_response");

/** A receiver that refuses it at once does its work before it responds to a genuine delivery. */
const FORGED_CASE: CaseId = "forged.wrong_secret";

function silenceError({ host }: URL, forged: ProbeResponse["outcome"]) {
  const first = formatCount(MAX_WITHOUT_RESPONSE, "delivery", "deliveries");
  const [message, hint] =
    forged === "no_response"
      ? [
          `${host} did not respond to the first ${first}`,
          "check that the receiver is running and responds to POST; --timeout gives it more time",
        ]
      : [
          `${host} responds to a forged delivery, and not in time to the first ${first}, which are genuine`,
          "respond to a genuine delivery first, and process the event after that: a sender does not wait, and sends it again; --timeout gives the receiver more time",
        ];
  return unreachableError("no_response", message, { hint, retryable: true });
}
