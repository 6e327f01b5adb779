import { HOP_BY_HOP_HEADERS } from "../../../../client/http/hop-by-hop.ts";
import { readMonotonic } from "../../../../client/runtime.ts";
import { type WebhookResponse, WebhookSender } from "../../../../client/webhook-sender.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import type { HeaderPair, ReceivedDelivery } from "../../../../domain/webhooks/input-formats/delivery.ts";
import type { Context } from "../../../context.ts";
import { printMessage } from "../../../output/stderr.ts";
import { bodyExcerpt, isSuccess, readReceiverOptions } from "../receiver-response.ts";
import type { DeliveryEvent } from "./delivery.ts";

type ForwardResult = NonNullable<DeliveryEvent["forwarded"]>;

export type Forwarder = Awaited<ReturnType<typeof createForwarder>>;

/** Posts deliveries to an app. Reports once when it goes down, and once when it is back. */
export async function createForwarder(context: Context, url: string) {
  const sender = new WebhookSender(await readReceiverOptions(context, url, {}));
  let isReportedDown = false;
  const reportDown = ({ code, hint, message }: ClaimsError) => {
    if (isReportedDown) return;
    const advice = `until it responds, the sender gets ${statusWithoutResponse(code)} (${hint})`;
    printMessage(context, `warning: ${message}; ${advice}`);
    isReportedDown = true;
  };
  const reportUp = () => {
    if (isReportedDown) printMessage(context, `${url} responds again`);
    isReportedDown = false;
  };
  return {
    close: () => sender.close(),
    async forward({ headers, body }: ReceivedDelivery): Promise<ForwardResult> {
      const startedAt = readMonotonic(context);
      try {
        const response = await sender.send(endToEndHeaders(headers).flat(), body);
        reportUp();
        return toResult(url, response);
      } catch (error) {
        if (!(error instanceof ClaimsError)) throw error;
        const durationMs = readMonotonic(context) - startedAt;
        // An interruption says nothing about the app.
        if (error.kind === "unreachable") reportDown(error);
        const { code, message } = error;
        return { url, status: null, durationMs, error: { code, message }, body: null, retryAfter: null };
      }
    },
  };
}

const toResult = (url: string, { body, durationMs, headers, status }: WebhookResponse): ForwardResult => ({
  url,
  status,
  durationMs,
  error: null,
  body: isSuccess(status) ? null : bodyExcerpt(body),
  retryAfter: headers["retry-after"] ?? null,
});

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
