import * as Type from "typebox";
import { conformanceReport } from "../../conformance/report-document.ts";
import { closedObject, count, dateTime, headerPairs, mapOf, nullable } from "../../contract/schemas.ts";
import { each } from "../../domain/each.ts";
import { listOf, oneOf } from "./shapes.ts";

const texts = () => Type.Array(Type.String());

const verdict = () => oneOf("valid", "stale", "mismatch", "missing_header", "malformed");

const actor = () => oneOf("receiver", "between", "secret_store", "sender", "log");

const causes = listOf({
  ...each(Type.String, "id", "title", "evidence", "fix"),
  certainty: oneOf("proved", "likely"),
  actor: actor(),
});

const remarks = listOf(each(Type.String, "id", "title", "evidence"));

export const triageGroup = closedObject(
  {
    causes: texts(),
    actions: listOf({ actor: actor(), fix: Type.String() }),
    verdict: verdict(),
    count: count(),
    example: Type.String({ description: "the first delivery of the group" }),
    ...each(() => nullable(dateTime()), "firstAt", "lastAt"),
    separators: listOf({ field: Type.String(), value: Type.String() }),
    valid: nullable(closedObject(each(count, "before", "between", "after"))),
    clockOffset: nullable(Type.Number({ description: "seconds; median" })),
    isClockConstant: Type.Boolean({ description: "whether several are equally far off" }),
  },
  { description: "a part of TriageReport" },
);

const probeCase = {
  ...each(Type.String, "id", "sends", "source"),
  expects: oneOf("accept", "reject", "either"),
  basis: oneOf("documented", "assumed", "advice"),
};

const probeResult = closedObject({
  ...probeCase,
  outcome: Type.String(),
  status: nullable(Type.Integer()),
  error: nullable(Type.String({ description: "why there was no response, such as timeout" })),
  firstStatus: nullable(
    Type.Integer({ description: "of the first response to a delivery that was sent again" }),
  ),
  durationMs: Type.Number(),
  text: Type.String({ description: "the beginning of the response" }),
  reveals: Type.Array(oneOf("secret", "signature")),
  met: nullable(Type.Boolean({ description: "null: the response proves neither" })),
});

export const WEBHOOK_DOCUMENTS = {
  ResentDeliveries: listOf({
    id: Type.String(),
    status: nullable(Type.String({ description: "null in a dry run" })),
    response: Type.Union([Type.Integer(), Type.String(), Type.Null()], { description: "status or error" }),
  }),
  SentDelivery: closedObject({
    url: Type.String(),
    status: Type.Integer(),
    durationMs: Type.Number(),
    response: closedObject({ headers: Type.Unknown(), body: Type.String() }),
    sent: closedObject({ headers: headerPairs(), fingerprint: Type.String() }),
  }),
  SignedHeaders: closedObject({
    headers: mapOf(Type.String()),
    fingerprint: Type.String(),
  }),
  SignatureVerdict: closedObject({
    verdict: verdict(),
    causes,
    remarks,
    tried: count(),
    reason: Type.String(),
    computed: Type.Optional(oneOf("right", "right_of_other_text", "different")),
    complete: Type.Boolean({ description: "false: the search was bounded" }),
    ageSeconds: nullable(Type.Number()),
    event: nullable(Type.String({ description: "of a genuine delivery" })),
    signedBy: nullable(Type.String({ description: "fingerprint" })),
    fingerprints: texts(),
    failure: Type.Optional(Type.String({ description: "of the explanation: a bug of this program" })),
    expected: Type.Optional(listOf(each(Type.String, "fingerprint", "signature"))),
    case: Type.Optional(closedObject({ verdict: Type.String(), ...each(texts, "causes", "fingerprints") })),
  }),
  TriageReport: Type.Union(
    [
      closedObject({
        ...each(count, "total", "valid"),
        groups: Type.Array(triageGroup),
        refused: nullable(triageGroup),
        otherResponses: mapOf(count()),
        doubts: listOf({
          kind: oneOf("event_differs", "body_shorter", "arrived_late", "repeated"),
          ...each(Type.String, "what", "advice", "example"),
          count: count(),
        }),
        ...each(() => nullable(dateTime()), "firstAt", "lastAt"),
      }),
      listOf({
        source: Type.String(),
        verdict: verdict(),
        causes: texts(),
        time: nullable(dateTime()),
        clockOffset: nullable(Type.Number({ description: "seconds that the receiver is ahead" })),
        status: nullable(Type.Integer({ description: "what the receiver answered" })),
      }),
    ],
    { description: "with --ndjson, a line for each delivery" },
  ),
  ProbeReport: Type.Union(
    [
      closedObject({
        ...conformanceReport,
        url: Type.String(),
        verdict: oneOf("passes", "fails", "untouched", "inconclusive"),
        cases: Type.Array(probeResult),
        clockOffset: Type.Number({ description: "seconds that its clock is ahead; 0 if it is right" }),
        diagnoses: listOf({
          ...each(Type.String, "id", "title", "fix"),
          evidence: listOf(each(Type.String, "case", "outcome")),
        }),
      }),
      closedObject({ url: Type.String(), cases: listOf(probeCase) }),
    ],
    { description: "with --dry-run the cases alone" },
  ),
  ListenLine: Type.Union(
    [
      closedObject({
        event: Type.Literal("ready"),
        url: Type.String(),
        endpointId: nullable(Type.String()),
        fingerprints: texts(),
        forwardTo: nullable(Type.String()),
      }),
      closedObject({
        event: Type.Literal("delivery"),
        number: count(),
        receivedAt: dateTime(),
        path: Type.String(),
        eventType: nullable(Type.String({ description: "of a genuine delivery" })),
        claimedEventType: nullable(Type.String({ description: "the header, signed or not" })),
        bytes: count(),
        verdict: Type.String(),
        reason: Type.String(),
        ageSeconds: nullable(Type.Number()),
        secretFingerprint: nullable(Type.String()),
        responseStatus: Type.Integer(),
        file: nullable(Type.String({ description: "of --record" })),
        causes: nullable(causes),
        remarks: nullable(remarks),
        tried: nullable(count()),
        complete: nullable(Type.Boolean()),
        failure: nullable(Type.String()),
        forwarded: nullable(
          closedObject({
            url: Type.String(),
            status: nullable(Type.Integer()),
            durationMs: Type.Number(),
            error: nullable(closedObject(each(Type.String, "code", "message"))),
            ...each(() => nullable(Type.String()), "body", "retryAfter"),
          }),
        ),
      }),
    ],
    { description: "each line" },
  ),
};
