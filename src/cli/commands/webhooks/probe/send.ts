import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { sendOnce } from "../../../../client/webhook-sender.ts";
import { ClaimsError, rejectedError } from "../../../../domain/errors.ts";
import { parseJsonText } from "../../../../domain/json.ts";
import {
  headerValues,
  listHeaders,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
} from "../../../../domain/webhooks/headers.ts";
import { type CaseId, getCase } from "../../../../domain/webhooks/probe/cases.ts";
import type { ProbeDelivery, ProbeInput } from "../../../../domain/webhooks/probe/deliveries.ts";
import {
  classifyResponse,
  type ProbeResponse,
  REFUSING_OUTCOMES,
} from "../../../../domain/webhooks/probe/responses.ts";
import { sign } from "../../../../domain/webhooks/signature.ts";
import type { Context } from "../../../context.ts";
import { readHeaderOptions } from "../header-options.ts";
import { bodyExcerpt, readReceiverOptions } from "../receiver-response.ts";
import type { ProbeOptions } from "./probe.ts";

const NOT_SENT_CODES = new Set(["connection_refused", "dns_error", "proxy_refused", "tls_error"]);

/** Sends one delivery, whose secret the response must not reveal; throws if the receiver was never reachable. */
type SendDelivery = (delivery: ProbeDelivery, secret: string) => Promise<ProbeResponse>;

type SendOptions = Pick<ProbeOptions, "caFile" | "header" | "timeout">;

interface CaseOptions extends Pick<ProbeInput, "secret" | "secondSecret" | "event"> {
  readonly timeoutMs: number;
  /** The number of events that the receiver has processed. */
  readonly readEffects?: (() => Promise<number>) | undefined;
}

/** Makes a function that sends one case; it throws if the receiver was never reachable. */
export function createCaseSender(context: Context, send: SendDelivery, options: CaseOptions) {
  const { secret, secondSecret, event, readEffects } = options;
  return async (caseId: CaseId): Promise<ProbeResponse> => {
    const { expects, basis, countsEffects } = getCase(caseId);
    if (countsEffects && readEffects) return sendCounted(caseId, readEffects);
    const first = await sendCase(caseId);
    const isGenuine = expects === "accept" && basis === "documented";
    // An error can be an accident, and a refusal that of one of several instances: both are evidence only if they happen again.
    const isOpen =
      first.outcome === "server_error" || (isGenuine && REFUSING_OUTCOMES.includes(first.outcome));
    return isOpen ? { ...(await sendCase(caseId)), firstStatus: first.status } : first;
  };

  /** Returns the first response that is no success, if there is one. */
  async function sendCase(caseId: CaseId): Promise<ProbeResponse> {
    const input = { secret, secondSecret, event, id: randomUUID(), now: context.now() };
    const made = getCase(caseId).make(input);
    const rounds = "body" in made ? [[made]] : made;
    const responses: ProbeResponse[] = [];
    for (const round of rounds)
      responses.push(...(await Promise.all(round.map((delivery) => send(delivery, secret)))));
    const needsOne = getCase(caseId).accepts === "one";
    const refused = responses.find(({ outcome }) => (outcome === "accepted") === needsOne);
    const response = refused ?? responses.at(-1);
    if (response === undefined) throw new TypeError(`${caseId} has no delivery`);
    return response;
  }

  async function sendCounted(caseId: CaseId, read: () => Promise<number>): Promise<ProbeResponse> {
    const before = await readSettled(read);
    const response = await sendCase(caseId);
    const after = before === null ? null : await readSettled(read, before);
    return { ...response, effects: before === null ? null : (after ?? before) - before };
  }

  /** A receiver can process an event after its response. @returns null for a count that never stays */
  async function readSettled(read: () => Promise<number>, above = -1): Promise<number | null> {
    const deadline = context.now() + options.timeoutMs;
    for (let count = await read(); ; ) {
      await context.sleep(Math.min(SETTLE_MS, options.timeoutMs), context.signal);
      const next = await read();
      const isOver = context.now() >= deadline;
      if (next === count && (next > above || isOver)) return next;
      if (isOver) return null;
      count = next;
    }
  }
}

/** How long a count has to stay. */
const SETTLE_MS = 500;

/** Every delivery has a new connection. */
export async function createDeliverySender(
  context: Context,
  url: URL,
  options: SendOptions,
): Promise<SendDelivery> {
  const agent = ["User-Agent", `claims/${context.version}`] as const;
  const added = [agent, ...(await readHeaderOptions(context, options.header ?? []))];
  const { now } = context;
  const receiver = { ...(await readReceiverOptions(context, url.href, options)), allowTruncated: true };
  context.tuneForShortRun();
  let wasReached = false;
  return async (delivery, secret) => {
    const headers = [...added, ...delivery.headers];
    const startedAt = now();
    try {
      const response = await sendOnce(receiver, headers.flat(), Buffer.from(delivery.body));
      const { status, durationMs, body, headers: names } = response;
      const { text, reveals } = redactResponse(`${body}`, JSON.stringify(names), delivery, secret);
      return {
        outcome: classifyResponse(status, text),
        status,
        error: null,
        firstStatus: null,
        durationMs,
        text: bodyExcerpt(Buffer.from(text)),
        reveals,
        effects: null,
      };
    } catch (error) {
      if (!(error instanceof ClaimsError) || error.kind !== "unreachable") throw error;
      if (!wasReached && NOT_SENT_CODES.has(error.code)) throw error;
      const durationMs = now() - startedAt;
      const nothing = { status: null, firstStatus: null, text: "", reveals: [], effects: null };
      return { outcome: "no_response", error: error.code, durationMs, ...nothing };
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

export async function openEffectsCounter(
  context: Context,
  url: string,
  options: SendOptions,
): Promise<() => Promise<number>> {
  const counter = { ...(await readReceiverOptions(context, url, options)), method: "GET" } as const;
  return async () => {
    const { status, body } = await sendOnce(counter, ["User-Agent", `claims/${context.version}`]);
    const count = status === 200 ? parseCount(body.toString("utf8")) : null;
    if (count !== null) return count;
    throw rejectedError("response_incomplete", `${url} does not respond with a number`, {
      hint: "respond 200 with the number of processed events: as text, or in JSON with one number",
      status,
    });
  };
}

/** The only number of a JSON text; null if it has none, or different ones. */
function parseCount(text: string): number | null {
  const [count, ...others] = new Set(listNumbers(parseJsonText(text)));
  return count === undefined || others.length > 0 ? null : count;
}

function listNumbers(value: unknown): number[] {
  if (typeof value === "number") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(listNumbers) : [];
}
