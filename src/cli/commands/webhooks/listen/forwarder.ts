import { HOP_BY_HOP_HEADERS } from "../../../../client/http/hop-by-hop.ts";
import { readMonotonic } from "../../../../client/runtime.ts";
import { WebhookSender } from "../../../../client/webhook-sender.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import type { HeaderPair, ReceivedDelivery } from "../../../../domain/webhooks/input-formats/delivery.ts";
import type { Context } from "../../../context.ts";
import { printMessage } from "../../../output/stderr.ts";
import { bodyExcerpt, isSuccess, readReceiverOptions } from "../receiver-response.ts";

export interface ForwardResult {
  readonly url: string;
  /** Null without a response. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: { readonly code: string; readonly message: string } | null;
  /** The beginning of the body of a response outside 200–299. */
  readonly body: string | null;
  readonly retryAfter: string | null;
}

export type Forwarder = Awaited<ReturnType<typeof createForwarder>>;

/** Posts deliveries to an app. Reports once when it goes down, and once when it is back. */
export async function createForwarder(context: Context, url: string) {
  const sender = new WebhookSender(await readReceiverOptions(context, url, {}));
  let isDown = false;
  return {
    close: () => sender.close(),
    async forward({ headers, body }: ReceivedDelivery): Promise<ForwardResult> {
      const startedAt = readMonotonic(context);
      try {
        const response = await sender.send(endToEndHeaders(headers).flat(), body);
        if (isDown) printMessage(context, `${url} responds again`);
        isDown = false;
        const { status, durationMs } = response;
        const excerpt = isSuccess(status) ? null : bodyExcerpt(response.body);
        const retryAfter = response.headers["retry-after"] ?? null;
        return { url, status, durationMs, error: null, body: excerpt, retryAfter };
      } catch (error) {
        if (!(error instanceof ClaimsError)) throw error;
        const { code, message, hint } = error;
        const durationMs = readMonotonic(context) - startedAt;
        if (!isDown && error.kind === "unreachable")
          printMessage(
            context,
            `warning: ${message}; until it responds, the sender gets ${statusWithoutResponse(code)} (${hint})`,
          );
        isDown = true;
        return { url, status: null, durationMs, error: { code, message }, body: null, retryAfter: null };
      }
    },
  };
}

/** What the sender of a delivery gets if the app gives no response: the status of a gateway (RFC 9110 §15.6). */
export const statusWithoutResponse = (errorCode: string | undefined): number =>
  errorCode === "timeout" ? 504 : 502;

/** The headers without those of the connection (RFC 9110 §7.6.1) and Host. */
function endToEndHeaders(headers: readonly HeaderPair[]): readonly HeaderPair[] {
  const listed = headers.flatMap(([name, value]) =>
    name.toLowerCase() === "connection" ? value.toLowerCase().split(/[\s,]+/) : [],
  );
  const dropped = new Set([...HOP_BY_HOP_HEADERS, ...listed, "host"]);
  return headers.filter(([name]) => !dropped.has(name.toLowerCase()));
}
