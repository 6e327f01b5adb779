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
import {
  classifyResponse,
  type ProbeResponse,
  type ProbeResponses,
  REFUSING_OUTCOMES,
} from "../../../../domain/webhooks/probe/responses.ts";
import { TRIALS, type Trial } from "../../../../domain/webhooks/probe/trials.ts";
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
  return renderProbe(report, { url, responses, accepted, isVerbose: options.verbose ?? false });
}

async function sendCases(
  context: Context,
  url: URL,
  selected: readonly CaseId[],
  secret: string,
  options: ProbeOptions,
) {
  const { event = "partner.test" } = options;
  const sendDelivery = await createDeliverySender(context, url, options);
  const send = createCaseSender(context, sendDelivery, { secret, event });
  const responses = new Map<CaseId, ProbeResponse>([[CONTROL_CASE, await send(CONTROL_CASE)]]);
  const progress = startProgress(context.stderr, `probing ${url.host}`);
  try {
    for (const id of selected) {
      if (responses.has(id)) continue;
      progress.update(`probing ${url.host}: ${responses.size + 1} of ${selected.length}, ${id}`);
      responses.set(id, await send(id));
      if (hasNoResponse(responses)) throw silenceError(url, responses);
    }
    if (!refusesAll(responses)) return { responses, accepted: null };
    progress.update(`probing ${url.host}: why it refuses everything`);
    return { responses, accepted: await findAccepted(context, sendDelivery, { secret, event }) };
  } finally {
    progress.stop();
  }
}

/** Deliveries that were signed wrong in a known way are sent only to a receiver that refuses every right one. */
const refusesAll = (responses: ProbeResponses): boolean =>
  [...responses].every(([id, { outcome }]) => getCase(id).expects !== "accept" || outcome === "rejected");

/** The first trial that the receiver accepts. */
async function findAccepted(
  context: Context,
  send: SendDelivery,
  { secret, event }: CaseOptions,
): Promise<Trial | null> {
  for (const trial of TRIALS) {
    const delivery = trial.make({ secret, event, id: randomUUID(), now: context.now() });
    if ((await send(delivery, secret)).outcome === "accepted") return trial;
  }
  return null;
}

const hasNoResponse = (responses: ProbeResponses): boolean =>
  responses.size === MAX_WITHOUT_RESPONSE &&
  [...responses.values()].every(({ outcome }) => outcome === "no_response");

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

/** Sends one delivery, whose secret the response must not reveal; throws if the receiver was never reachable. */
type SendDelivery = (delivery: ProbeDelivery, secret: string) => Promise<ProbeResponse>;

type SendOptions = Pick<ProbeOptions, "caFile" | "header" | "timeout">;

type CaseOptions = Pick<ProbeInput, "secret" | "event">;

/** Makes a function that sends one case; it throws if the receiver was never reachable. */
function createCaseSender(context: Context, send: SendDelivery, options: CaseOptions) {
  return async (caseId: CaseId): Promise<ProbeResponse> => {
    const { expects, basis } = getCase(caseId);
    const first = await sendCase(caseId);
    const isGenuine = expects === "accept" && basis === "documented";
    // An error can be an accident, and a refusal that of one of several instances: both are evidence only if they happen again.
    const isOpen =
      first.outcome === "server_error" || (isGenuine && REFUSING_OUTCOMES.includes(first.outcome));
    return isOpen ? { ...(await sendCase(caseId)), firstStatus: first.status } : first;
  };

  /** Returns the first response that is no success, if there is one. */
  async function sendCase(caseId: CaseId): Promise<ProbeResponse> {
    const input = { ...options, id: randomUUID(), now: context.now() };
    const responses: ProbeResponse[] = [];
    for (const delivery of getCase(caseId).make(input)) responses.push(await send(delivery, options.secret));
    const response = responses.find(({ outcome }) => outcome !== "accepted") ?? responses.at(-1);
    if (response === undefined) throw new TypeError(`${caseId} has no delivery`);
    return response;
  }
}

const NOTHING = { status: null, error: null, firstStatus: null, clockOffset: null };

/** Every delivery has a new connection. */
async function createDeliverySender(context: Context, url: URL, options: SendOptions): Promise<SendDelivery> {
  const agent = ["User-Agent", `claims/${context.version}`] as const;
  const added = [agent, ...(await readHeaderOptions(context, options.header ?? []))];
  const { now } = context;
  const receiver = { ...(await readReceiverOptions(context, url.href, options)), allowTruncated: true };
  context.tuneForShortRun();
  let wasReached = false;
  return async (delivery, secret) => {
    const headers = [...added, ...delivery.headers];
    const startedAt = readMonotonic(context);
    try {
      const response = await sendOnce(receiver, headers.flat(), Buffer.from(delivery.body), delivery.splitAt);
      const { status, durationMs, body, headers: names } = response;
      const { text, reveals } = redactResponse(`${body}`, JSON.stringify(names), delivery, secret);
      const outcome = classifyResponse(status, text);
      const excerpt = bodyExcerpt(Buffer.from(text));
      const clockOffset = readClockOffset(names, now());
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

/** Seconds that the Date header is ahead of our clock (RFC 9110 §6.6.1). */
function readClockOffset(headers: Readonly<Record<string, unknown>>, now: number): number | null {
  const [, date] = Object.entries(headers).find(([name]) => name.toLowerCase() === "date") ?? [];
  const time = typeof date === "string" ? Date.parse(date) : Number.NaN;
  return Number.isNaN(time) ? null : (time - now) / 1000;
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
