import { Buffer } from "node:buffer";
import { secretPrefixOf } from "../../../src/domain/webhooks/endpoints.ts";
import { explain } from "../../../src/domain/webhooks/explain/explain.ts";
import { headerValues, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../../../src/domain/webhooks/headers.ts";
import type { Verification } from "../../../src/pages/causes.tsx";
import type { DeliveryModel } from "../../../src/pages/delivery.tsx";
import type { DeliveryAttempt, DeliveryDetails } from "../../api/webhooks.ts";
import type { Engine } from "../../engine/engine.ts";
import { redactBytes, redactModel } from "../../engine/request-log/redaction.ts";
import { SINK_PREFIX } from "../../engine/sinks.ts";
import { toDeliveryDetails } from "../../engine/webhooks/records.ts";
import type { DeliveryRow } from "../../store/deliveries.ts";

/** @param received the pasted body; null for no comparison */
export function readDelivery(
  engine: Engine,
  id: string,
  received: string | null = null,
): Promise<DeliveryModel> {
  return engine.idle.whenSettled(() => toDeliveryModel(engine, engine.webhooks.delivery(id), received));
}

export function toDeliveryModel(
  engine: Engine,
  row: DeliveryRow,
  received: string | null = null,
): DeliveryModel {
  const { scheduler, store, url, webhooks } = engine;
  const endpoint = webhooks.endpoint(row.endpointId);
  const delivery = toDeliveryDetails(store, row, endpoint.url);
  const last = delivery.attempts.at(-1);
  const body = Buffer.from(delivery.bodyBase64, "base64");
  const verifyBody = (attempt: DeliveryAttempt, bytes: Uint8Array) =>
    verifyWith(endpoint.secret, attempt, bytes);
  const pasted = received === null ? null : restoreLineEnds(received, delivery);
  return redactModel({
    delivery: { ...delivery, bodyBase64: redactBytes(body).toString("base64") },
    bodyBytes: body.length,
    due: scheduler
      .agenda()
      .flatMap(({ dueAt, kind, subject }) =>
        subject === row.id && kind.startsWith("webhook.") ? [dueAt] : [],
      ),
    signature: last
      ? {
          timestamp: headerValues(last.headers, TIMESTAMP_HEADER)[0] ?? "",
          signature: headerValues(last.headers, SIGNATURE_HEADER)[0] ?? "",
          secretPrefix: secretPrefixOf(endpoint.secret),
          verification: verifyBody(last, body),
        }
      : null,
    sink: findSink(endpoint.url, url),
    comparison:
      last && pasted !== null ? { body: pasted, verification: verifyBody(last, Buffer.from(pasted)) } : null,
  });
}

function verifyWith(secret: string, { headers }: DeliveryAttempt, body: Uint8Array): Verification {
  const { verdict, reason, causes, remarks, tried } = explain({ secrets: [secret], headers, body });
  return { verdict, reason, causes, remarks, tried };
}

/** A form sends every line end as CRLF (HTML, "normalize newlines"). */
const restoreLineEnds = (pasted: string, { body }: DeliveryDetails): string =>
  body?.includes("\r\n") ? pasted : pasted.replaceAll("\r\n", "\n");

/** The name of the built-in receiver of this sandbox that a URL names; null for any other. */
export function findSink(receiver: string, sandbox: string): string | null {
  const prefix = `${sandbox}${SINK_PREFIX}`;
  const [, name = null] = receiver.startsWith(prefix)
    ? (/^([\w.-]{1,64})(?:\?|$)/.exec(receiver.slice(prefix.length)) ?? [])
    : [];
  return name;
}
