import * as Type from "typebox";
import { each } from "../domain/each.ts";
import { delivery } from "./operations/webhooks.ts";
import { closedObject, count, dateTime, environment, headerPairs, nullable, textType } from "./schemas.ts";

// The request log of a sandbox, which its control API and its library respond with.

/** The first 64 KiB of a body. All bodies together have 32 MiB; the oldest lose theirs first. */
export const loggedBody = closedObject({
  size: nullable(count("Bytes of the whole body; null when unknown")),
  text: nullable(textType("Null when it has a Content-Encoding, is not UTF-8, or was not kept")),
  base64: nullable(textType("Replaces `text` when the body is not UTF-8")),
  truncated: Type.Boolean({ description: "Whether the body is longer than this" }),
  fields: nullable(
    headerPairs(
      "The text fields of a multipart form, wherever in the body they are; null for any other body",
    ),
  ),
});

export const credentialPlace = closedObject({
  place: Type.Enum(["authorization", "x-api-key", "path", "query", "body", "header"], {
    description: "Elsewhere than in the first two, it was recognized by its form",
  }),
  name: nullable(
    textType(
      "The scheme of Authorization in lower case, or the name of a parameter, a form field or a header; null without one",
    ),
  ),
  environment: nullable(environment(), "Null for a credential that does not show it"),
});

export const loggedProblem = closedObject({
  code: textType("As in `validation_failed`"),
  detail: textType("What is wrong, and what would be right"),
  errors: Type.Array(
    closedObject({
      location: nullable(textType("The name of a parameter, or a JSON Pointer; null for neither")),
      code: textType("As in `required`"),
    }),
    { description: "The invalid parts of the request" },
  ),
});

const REQUEST_OUTCOMES = ["answered", "aborted", "lost", "running"] as const;

export const loggedRequest = closedObject({
  number: count("Counted from 1, in the order in which requests arrived"),
  requestId: Type.String(),
  at: dateTime("of the sandbox clock"),
  arrivalOffsetMs: Type.Number({ description: "Wall time from the start of the sandbox to its arrival" }),
  durationMs: nullable(
    Type.Number({
      description:
        "Wall time from the head of the request to the end of the response; null while it is running",
    }),
  ),
  method: Type.String(),
  target: textType("Path and query"),
  httpVersion: Type.String(),
  route: nullable(textType("The template of the path; null when the service has no such route")),
  operation: nullable(textType("The id of the contract's row")),
  basis: nullable(
    Type.Enum(["documented", "assumed"], { description: "Whether the interface shows the operation" }),
  ),
  alias: nullable(
    closedObject(each(Type.String, "path", "canonicalPath")),
    "For a broker alias (interface §4)",
  ),
  caller: nullable(
    closedObject({ partner: Type.Integer(), environment: environment() }),
    "The owner of the credential; null without a valid one",
  ),
  credentials: Type.Array(credentialPlace),
  requestHeaders: headerPairs(),
  requestBody: nullable(loggedBody),
  status: nullable(Type.Integer({ description: "Also of a lost response; null without a response" })),
  responseHeaders: headerPairs("Without those of the connection (Date, Connection, Keep-Alive)"),
  responseBody: nullable(loggedBody),
  problem: nullable(
    loggedProblem,
    "Why the service refused the request, also where grease varies the shape of the response; null for a response of another kind, also for that of a fault",
  ),
  outcome: Type.Enum([...REQUEST_OUTCOMES], {
    description: "`aborted` by its client, `lost` by a fault, or still `running`",
  }),
  fault: nullable(textType("Describes the applied fault")),
  varied: Type.Array(Type.String(), {
    description: "The variants of assumed behaviour in the response, as `dimension=variant`",
  }),
  idempotentReplay: Type.Boolean({
    description: "Whether the response is the stored one of an earlier request with this Idempotency-Key",
  }),
  webhooks: Type.Array(delivery, { description: "The present state of the deliveries that it caused" }),
});
