import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { sendOnce } from "../../../../client/webhook-sender.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import {
  headerValues,
  listHeaders,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
} from "../../../../domain/webhooks/headers.ts";
import { type CaseId, getCase, type ProbeDelivery } from "../../../../domain/webhooks/probe/cases.ts";
import { classifyResponse, type ProbeResponse } from "../../../../domain/webhooks/probe/responses.ts";
import { sign } from "../../../../domain/webhooks/signature.ts";
import { readCaOption } from "../../../connection/ca-file.ts";
import { readProxySettings } from "../../../connection/sources.ts";
import type { Context } from "../../../context.ts";
import { readHeaderOptions } from "../header-options.ts";
import { bodyExcerpt, RECEIVER_TIMEOUT_MS } from "../receiver-response.ts";
import type { ProbeOptions } from "./options.ts";

/** Codes of errors that occur before anything is sent. */
const NOT_SENT_CODES = new Set(["connection_refused", "dns_error", "proxy_refused", "tls_error"]);

/** Sends one case; throws if the receiver was never reachable. */
type SendCase = (id: CaseId) => Promise<ProbeResponse>;

/** Sends one delivery, whose secret the response must not reveal; throws if the receiver was never reachable. */
type SendDelivery = (delivery: ProbeDelivery, secret: string) => Promise<ProbeResponse>;

type SendOptions = Pick<ProbeOptions, "caFile" | "header" | "timeout">;

/** Sends the cases of the probe. */
export function createCaseSender(
  { now }: Context,
  send: SendDelivery,
  { secret, event = "partner.test" }: { readonly secret: string; readonly event: string | undefined },
): SendCase {
  return async (caseId) => {
    const first = await sendCase(caseId);
    if (first.outcome !== "server_error") return first;
    // An error of the receiver can be an accident, so that it is evidence only if it happens again.
    return { ...(await sendCase(caseId)), firstStatus: first.status };
  };

  async function sendCase(caseId: CaseId): Promise<ProbeResponse> {
    const { times = 1, make } = getCase(caseId);
    const id = randomUUID();
    const sendDelivery = () => send(make({ secret, event, id, now: now() }), secret);
    for (let sent = 1; sent < times; sent += 1) await sendDelivery();
    return sendDelivery();
  }
}

/** Every delivery has a new connection. */
export async function createDeliverySender(
  context: Context,
  url: URL,
  options: SendOptions,
): Promise<SendDelivery> {
  const { caFile, header = [], timeout: timeoutMs = RECEIVER_TIMEOUT_MS } = options;
  const agent = ["User-Agent", `claims/${context.version}`] as const;
  const added = [agent, ...(await readHeaderOptions(context, header))];
  const ca = await readCaOption(context, caFile);
  const { env, now, signal } = context;
  const proxy = readProxySettings(env);
  const connection = { url: url.href, timeoutMs, ca, proxy, allowTruncated: true, now, signal };
  context.tuneForShortRun();
  let wasReached = false;
  return async (delivery, secret) => {
    const headers = [...added, ...delivery.headers];
    const startedAt = now();
    try {
      const response = await sendOnce(connection, headers.flat(), Buffer.from(delivery.body));
      const { status, durationMs, body, headers: names } = response;
      const date = Date.parse(names.date ?? "");
      const { text, reveals } = redactResponse(`${body}`, JSON.stringify(names), delivery, secret);
      return {
        outcome: classifyResponse(status, text),
        status,
        error: null,
        firstStatus: null,
        durationMs,
        text: bodyExcerpt(Buffer.from(text)),
        reveals,
        clockOffsetMs: Number.isNaN(date) ? null : date - now(),
      };
    } catch (error) {
      if (!(error instanceof ClaimsError) || error.kind !== "unreachable") throw error;
      if (!wasReached && NOT_SENT_CODES.has(error.code)) throw error;
      const durationMs = now() - startedAt;
      const nothing = { status: null, firstStatus: null, text: "", reveals: [], clockOffsetMs: null };
      return { outcome: "no_response", error: error.code, durationMs, ...nothing };
    } finally {
      wasReached = true;
    }
  };
}

/** The text without the secret and the correct signature, and which of both the response reveals to a forger. */
function redactResponse(
  body: string,
  headers: string,
  delivery: ProbeDelivery,
  secret: string,
): Pick<ProbeResponse, "text" | "reveals"> {
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
