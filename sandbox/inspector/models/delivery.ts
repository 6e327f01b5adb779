import { Buffer } from "node:buffer";
import { headerValues } from "../../../src/domain/http-headers.ts";
import { secretPrefixOf } from "../../../src/domain/webhooks/endpoints.ts";
import { explain } from "../../../src/domain/webhooks/explain/explain.ts";
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../../../src/domain/webhooks/headers.ts";
import type { DeliveryModel } from "../../../src/pages/delivery.tsx";
import type { DeliveryAttempt } from "../../api/webhooks.ts";
import type { Engine } from "../../engine/engine.ts";
import { redactBytes, redactModel } from "../../engine/request-log/redaction.ts";
import { toDeliveryDetails } from "../../engine/webhooks/records.ts";
import type { DeliveryRow } from "../../store/deliveries.ts";
import { listDueFor } from "./due.ts";

export function readDelivery(engine: Engine, row: DeliveryRow): DeliveryModel {
  const { store, webhooks } = engine;
  const endpoint = webhooks.endpoint(row.endpointId);
  const delivery = toDeliveryDetails(store, row, endpoint.url);
  const last = delivery.attempts.at(-1);
  const body = Buffer.from(delivery.bodyBase64, "base64");
  return redactModel({
    delivery: { ...delivery, bodyBase64: redactBytes(body).toString("base64") },
    endpointLabel: endpoint.label,
    bodyBytes: body.length,
    due: listDueFor(engine, row.id).map(({ at }) => at),
    signature: last
      ? {
          timestamp: headerValues(last.headers, TIMESTAMP_HEADER)[0] ?? "",
          signature: headerValues(last.headers, SIGNATURE_HEADER)[0] ?? "",
          secretPrefix: secretPrefixOf(endpoint.secret),
          verification: verifyWith(endpoint.secret, last, body),
        }
      : null,
  });
}

function verifyWith(secret: string, { headers }: DeliveryAttempt, body: Uint8Array) {
  const { verdict, reason } = explain({ secrets: [secret], headers, body });
  return { verdict, reason };
}
