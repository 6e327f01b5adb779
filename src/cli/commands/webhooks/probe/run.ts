import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { readMonotonic } from "../../../../client/runtime.ts";
import { sendOnce } from "../../../../client/webhook-sender.ts";
import { ClaimsError, unreachableError, usageError } from "../../../../domain/errors.ts";
import { headerValues } from "../../../../domain/http-headers.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { listHeaders, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../../../../domain/webhooks/headers.ts";
import {
  type CaseId,
  CONTROL_CASE,
  getCase,
  listCaseIds,
  type ProbeDelivery,
  type ProbeInput,
} from "../../../../domain/webhooks/probe/cases.ts";
import { type Diagnosis, diagnose } from "../../../../domain/webhooks/probe/diagnoses.ts";
import {
  classifyResponse,
  type ProbeResponse,
  type ProbeResponses,
  REFUSING_OUTCOMES,
} from "../../../../domain/webhooks/probe/responses.ts";
import { TRIALS } from "../../../../domain/webhooks/probe/trials.ts";
import { sign } from "../../../../domain/webhooks/signature.ts";
import type { Context } from "../../../context.ts";
import type { Output } from "../../../output/output.ts";
import { startProgress } from "../../../output/progress.ts";
import { finishReport, joinShellWords, readGate, selectRules } from "../../conformance/gate.ts";
import { parseTarget, readHeaderOptions } from "../options.ts";
import { bodyExcerpt, readReceiverOptions } from "../receiver-response.ts";
import { refuseStdinConflict, requireSingleSecret } from "../signing-secrets.ts";
import type { ProbeOptions } from "./probe.ts";
import { judgeCases, renderCases, renderProbe } from "./report.ts";

/** A receiver that does not respond to so many deliveries at the start will not respond to the next one. */
const MAX_WITHOUT_RESPONSE = 3;

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
  const { header = [], secretFile = [] } = options;
  refuseStdinConflict([...secretFile, ...header.map((text) => text.replace(/^@/, ""))]);
  const secret = await requireSingleSecret(context, options);
  const { responses, accepted } = await sendCases(context, url, selected, secret, options);
  const report = await finishReport(context, options, {
    subject: { mode: "receiver", command: [url.href], seed: null, grease: [], version: context.version },
    gate,
    scenarios: [],
    results: judgeCases(selected, responses),
    repeat: (id) =>
      joinShellWords([
        ...["claims", "webhooks", "probe", url.href, "--only", id],
        ...secretFile.flatMap((file) => ["--secret-file", file]),
      ]),
  });
  return renderProbe(report, url, responses, diagnose(responses, accepted), options.verbose ?? false);
}

async function sendCases(
  context: Context,
  url: URL,
  selected: readonly CaseId[],
  secret: string,
  options: ProbeOptions,
) {
  const { event = "partner.test" } = options;
  const send = await createSender(context, url, secret, options);
  // Each delivery has an id of its own.
  const makeInput = (): ProbeInput => ({ secret, event, id: randomUUID(), now: context.now() });
  const responses = new Map<CaseId, ProbeResponse>();
  const progress = startProgress(context.stderr, `probing ${url.host}`);
  try {
    for (const id of new Set<CaseId>([CONTROL_CASE, ...selected])) {
      progress.update(`probing ${url.host}: ${responses.size + 1} of ${selected.length}, ${id}`);
      responses.set(id, await sendCase(id, send, makeInput));
      const isSilent = [...responses.values()].every(({ outcome }) => outcome === "no_response");
      if (isSilent && responses.size === MAX_WITHOUT_RESPONSE) throw silenceError(url, responses);
    }
    // Deliveries that were signed wrong in a known way are sent only to a receiver that refuses every right one.
    const right = [...responses].filter(([id]) => getCase(id).expects === "accept");
    if (right.some(([, { outcome }]) => outcome !== "rejected")) return { responses, accepted: null };
    progress.update(`probing ${url.host}: why it refuses everything`);
    return { responses, accepted: await diagnoseByTrials(send, makeInput) };
  } finally {
    progress.stop();
  }
}

/** Sends one delivery; throws if the receiver was never reachable. */
type Send = (delivery: ProbeDelivery) => Promise<ProbeResponse>;

async function sendCase(id: CaseId, send: Send, makeInput: () => ProbeInput): Promise<ProbeResponse> {
  const { expects, basis, make } = getCase(id);
  const first = await sendInTurn([make(makeInput())].flat(), send);
  const isGenuine = expects === "accept" && basis === "documented";
  // An error can be an accident, and a refusal that of one of several instances: both are evidence only if they happen again.
  const isOpen = first.outcome === "server_error" || (isGenuine && REFUSING_OUTCOMES.includes(first.outcome));
  if (!isOpen) return first;
  return { ...(await sendInTurn([make(makeInput())].flat(), send)), firstStatus: first.status };
}

/** The response to the first delivery that is not accepted, or to the last one. */
async function sendInTurn([first, ...others]: readonly ProbeDelivery[], send: Send): Promise<ProbeResponse> {
  if (!first) throw new TypeError("a case has no delivery");
  const response = await send(first);
  return response.outcome === "accepted" && others.length > 0 ? sendInTurn(others, send) : response;
}

/** Why the receiver refuses everything: the first trial that it accepts. */
async function diagnoseByTrials(send: Send, makeInput: () => ProbeInput): Promise<Diagnosis | null> {
  for (const { name, make, ...diagnosis } of TRIALS) {
    const { outcome } = await send(make(makeInput()));
    if (outcome === "accepted") return { ...diagnosis, evidence: [{ case: name, outcome }] };
  }
  return null;
}

function silenceError({ host }: URL, responses: ProbeResponses) {
  const first = formatCount(MAX_WITHOUT_RESPONSE, "delivery", "deliveries");
  const isTaken = [...responses.values()].every(({ error }) => error === "timeout");
  const [message, hint] = isTaken
    ? [
        `${host} took the first ${first} and did not respond: mostly, a parser has read the body before the handler, which waits for its end`,
        CONSUMED_BODY_FIX,
      ]
    : [
        `${host} did not respond to the first ${first}`,
        "check that the receiver is running and responds to POST; --timeout gives it more time",
      ];
  return unreachableError("no_response", message, { hint, retryable: true });
}

/** What reads the body first, per framework. */
const CONSUMED_BODY_FIX =
  "Express: express.raw() on this route, before express.json(); Koa, Fastify: no body parser before; FastAPI, Starlette: no middleware that reads the body; Next.js: read it once; or is the handler slow? --timeout gives it more time";

const NOT_SENT_CODES = new Set(["connection_refused", "dns_error", "proxy_refused", "tls_error"]);

const NOTHING = { status: null, error: null, firstStatus: null, clockOffset: null };

/** Every delivery has a new connection. */
async function createSender(
  context: Context,
  url: URL,
  secret: string,
  options: Pick<ProbeOptions, "caFile" | "header" | "timeout">,
): Promise<Send> {
  const agent = ["User-Agent", `claims/${context.version}`] as const;
  const added = [agent, ...(await readHeaderOptions(context, options.header ?? []))];
  const receiver = { ...(await readReceiverOptions(context, url.href, options)), allowTruncated: true };
  context.tuneForShortRun();
  let wasReached = false;
  return async (delivery) => {
    const headers = [...added, ...delivery.headers];
    const startedAt = readMonotonic(context);
    try {
      const response = await sendOnce(receiver, headers.flat(), Buffer.from(delivery.body));
      const { status, durationMs, body, headers: received } = response;
      const { text, reveals } = redactResponse(`${body}`, JSON.stringify(received), delivery, secret);
      const outcome = classifyResponse(status, text);
      // RFC 9110 §6.6.1
      const offset = (Date.parse(String(received.date)) - context.now()) / 1000;
      const clockOffset = Number.isNaN(offset) ? null : offset;
      const excerpt = bodyExcerpt(Buffer.from(text));
      return { ...NOTHING, outcome, status, durationMs, clockOffset, text: excerpt, reveals };
    } catch (error) {
      if (!(error instanceof ClaimsError) || error.kind !== "unreachable") throw error;
      if (!wasReached && NOT_SENT_CODES.has(error.code)) throw error;
      const durationMs = readMonotonic(context) - startedAt;
      return { ...NOTHING, outcome: "no_response", error: error.code, durationMs, text: "", reveals: [] };
    } finally {
      wasReached = true;
    }
  };
}

/** The text without the secret and the correct signature, and which of both the response reveals to a forger. */
function redactResponse(body: string, headers: string, delivery: ProbeDelivery, secret: string) {
  const pairs = listHeaders(delivery.headers);
  const [timestamp = ""] = headerValues(pairs, TIMESTAMP_HEADER);
  const [given = ""] = headerValues(pairs, SIGNATURE_HEADER);
  const correct = sign({ secret, timestamp, body: delivery.body });
  const whole = body + headers;
  const isKnown = given.toLowerCase().includes(correct);
  const reveals = [
    ...(whole.includes(secret) ? (["secret"] as const) : []),
    ...(!isKnown && whole.toLowerCase().includes(correct) ? (["signature"] as const) : []),
  ];
  const text = body.replaceAll(secret, "[secret]").replaceAll(new RegExp(correct, "gi"), "[signature]");
  return { text, reveals };
}
