import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { sendOnce } from "../../../../client/webhook-sender.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import type { HeaderList } from "../../../../domain/webhooks/headers.ts";
import { type CaseId, getCase } from "../../../../domain/webhooks/probe/cases.ts";
import { classifyStatus, type ProbeResponse } from "../../../../domain/webhooks/probe/responses.ts";
import { readCaFile } from "../../../connection/ca-file.ts";
import { readProxySettings } from "../../../connection/sources.ts";
import type { Context } from "../../../context.ts";
import { readHeaderOptions } from "../header-options.ts";
import { RECEIVER_TIMEOUT_MS } from "../receiver-response.ts";
import { requireSingleSecret } from "../signing-secrets.ts";
import type { ProbeOptions } from "./options.ts";

/** Codes of errors that occur before anything is sent. */
const NOT_SENT_CODES = new Set(["connection_refused", "dns_error", "proxy_refused", "tls_error"]);

/** Sends one case; throws if the receiver was never reachable. */
type SendCase = (id: CaseId) => Promise<ProbeResponse>;

/** Every delivery has a new connection and a new timestamp. */
export async function createSender(context: Context, url: URL, options: ProbeOptions): Promise<SendCase> {
  const { event = "partner.test", caFile, header = [], timeout: timeoutMs = RECEIVER_TIMEOUT_MS } = options;
  const agent = ["User-Agent", `claims/${context.version}`] as const;
  const added = [agent, ...(await readHeaderOptions(context, header))];
  const secret = await requireSingleSecret(context, options);
  const ca = caFile === undefined ? undefined : await readCaFile(context, caFile);
  const { env, now, signal } = context;
  const connection = { url: url.href, timeoutMs, ca, proxy: readProxySettings(env), now, signal };
  context.tuneForShortRun();
  let wasReached = false;
  return async (caseId) => {
    const { times = 1, make } = getCase(caseId);
    const id = randomUUID();
    const sendOnce = () => {
      const { headers, body } = make({ secret, event, id, now: now() });
      return post([...added, ...headers], body);
    };
    for (let sent = 1; sent < times; sent += 1) await sendOnce();
    return sendOnce();
  };

  async function post(headers: HeaderList, body: string): Promise<ProbeResponse> {
    const startedAt = now();
    try {
      const { status, durationMs } = await sendOnce(connection, headers.flat(), Buffer.from(body));
      return { outcome: classifyStatus(status), status, durationMs };
    } catch (error) {
      if (!(error instanceof ClaimsError) || error.kind !== "unreachable") throw error;
      if (!wasReached && NOT_SENT_CODES.has(error.code)) throw error;
      return { outcome: "no_response", status: null, durationMs: now() - startedAt };
    } finally {
      wasReached = true;
    }
  }
}
