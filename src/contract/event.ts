import * as Type from "typebox";
import { EVENT_TYPES } from "../domain/webhooks/event-types.ts";
import { EVENT_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../domain/webhooks/headers.ts";
import { assumed, documented, rules, statedRules } from "./labels.ts";
import { type JsonObject, labelExtensions, referToExample, ruleExtensions } from "./openapi-components.ts";
import { dateTime, environment, labelledObject, uuid } from "./schemas.ts";

/** A delivery of an event to a receiver (interface §6). */
export const EVENT = {
  id: "event",
  /** Name, statement and schema of each header. */
  headers: [
    [EVENT_HEADER, "event.header", { type: "string", description: `Published: ${EVENT_TYPES.join(", ")}` }],
    [TIMESTAMP_HEADER, "event.timestamp", { type: "string" }],
    [SIGNATURE_HEADER, "event.signature", { type: "string", pattern: "^[0-9a-f]{64}$" }],
  ],
  label: assumed("payload"),
  payload: labelledObject(assumed("payload"), {
    id: uuid(),
    type: Type.String(),
    environment: environment(),
    createdAt: dateTime(),
    data: Type.Unknown(),
  }),
  behaviours: [
    ...statedRules("signature.base", "signature.key", "signature.timestamp", "signature.raw"),
    ...statedRules("event.rejected", "event.routing", "signature.comparison", "signature.freshness"),
    ...rules(
      assumed("triggers"),
      "The sandbox emits partner.credential.rotated when a credential is rotated, and any event on request.",
    ),
    ...rules(assumed("payload"), "The method is POST, and the body is application/json."),
  ],
} as const;

/** The `webhooks` object of OpenAPI 3.1. */
export const buildWebhooks = (): JsonObject => ({
  [EVENT.id]: {
    post: {
      operationId: EVENT.id,
      summary: "Receive an event",
      tags: ["webhooks"],
      security: [],
      parameters: EVENT.headers.map(([name, statement, schema]) => ({
        name,
        in: "header",
        required: true,
        schema,
        ...labelExtensions(documented(statement)),
      })),
      requestBody: {
        required: true,
        content: { "application/json": { schema: EVENT.payload, ...referToExample(`${EVENT.id}.request`) } },
      },
      responses: {
        "2XX": { description: "The receiver has the event", ...labelExtensions(assumed("retries")) },
        "4XX": { description: "The receiver rejects it", ...labelExtensions(documented("event.rejected")) },
      },
      ...labelExtensions(EVENT.label),
      ...ruleExtensions(EVENT.behaviours),
    },
  },
});
