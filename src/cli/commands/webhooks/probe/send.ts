import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { WebhookSender } from "../../../../client/webhook-sender.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { type CaseId, getCase } from "../../../../domain/webhooks/probe/cases.ts";
import { classifyStatus, type ProbeResponse } from "../../../../domain/webhooks/probe/responses.ts";
import { readCaFile } from "../../../connection/ca-file.ts";
import { readProxySettings } from "../../../connection/proxy-settings.ts";
import type { Context } from "../../../context.ts";
import type { OptionValues } from "../../../framework/options.ts";
import type { HeaderPair } from "../input-formats/delivery.ts";
import { RECEIVER_TIMEOUT_MS } from "../listen/forwarder.ts";
import { requireSecrets } from "../signing-secrets.ts";
import { requireSingleSecret } from "../single-secret.ts";
import { readAddedHeaders } from "./headers.ts";
import type { probeOptions } from "./probe.ts";

/** Why nothing can have been sent. */
const UNREACHABLE_CODES: ReadonlySet<string> = new Set([
  "connection_refused",
  "dns_error",
  "proxy_refused",
  "tls_error",
]);

/** Sends one case and tells what came of it; throws where there has never been anybody to send to. */
type SendCase = (id: CaseId) => Promise<ProbeResponse>;

/** A sender to that receiver: every delivery goes over a connection of its own, with a timestamp of its own. */
export async function createSender(
  context: Context,
  url: URL,
  options: OptionValues<typeof probeOptions>,
): Promise<SendCase> {
  const { event = "partner.test", caFile, header = [], timeout: timeoutMs = RECEIVER_TIMEOUT_MS } = options;
  const added = await readAddedHeaders(context, header);
  const secret = requireSingleSecret(await requireSecrets(context, options));
  const ca = caFile === undefined ? undefined : await readCaFile(context, caFile);
  const { env, now, signal } = context;
  const connection = { url: url.href, timeoutMs, ca, proxy: readProxySettings(env), now };
  const agent = ["User-Agent", `claims/${context.version}`] as const;
  context.tuneForShortRun();
  let wasReached = false;
  return async (name) => {
    const { times = 1, make } = getCase(name);
    const id = randomUUID();
    const sendOnce = () => {
      const { headers, body } = make({ secret, event, id, now: now() });
      return postDelivery(new WebhookSender({ ...connection, signal }), [agent, ...added, ...headers], body);
    };
    for (let sent = 1; sent < times; sent += 1) await sendOnce();
    return sendOnce();
  };

  async function postDelivery(
    poster: WebhookSender,
    headers: readonly HeaderPair[],
    body: string,
  ): Promise<ProbeResponse> {
    const startedAt = now();
    try {
      const { status, durationMs: milliseconds } = await poster.send(headers.flat(), Buffer.from(body));
      return { outcome: classifyStatus(status), status, durationMs: milliseconds };
    } catch (error) {
      if (!(error instanceof ClaimsError) || error.kind !== "unreachable") throw error;
      // One that has been there before has gone since, which is an answer of its own.
      if (!wasReached && UNREACHABLE_CODES.has(error.code)) throw error;
      return { outcome: "unanswered", status: null, durationMs: now() - startedAt };
    } finally {
      wasReached = true;
      await poster.close();
    }
  }
}
