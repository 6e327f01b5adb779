import Type from "typebox";
import { job } from "../../contract/diligence.ts";
import { count, dateTime, each, environment, nullable, strictObject } from "../../contract/schemas.ts";
import { delivery, endpoint } from "../../contract/webhooks.ts";
import { headerPairs, listOf, oneOf } from "./shapes.ts";

const clock = strictObject({ now: dateTime(), frozen: Type.Boolean() });

const countsByState = () => Type.Record(Type.String(), count());

const tasks = listOf({
  dueAt: dateTime(),
  kind: Type.String({ description: "as in job.finish" }),
  subject: Type.String({ description: "the id of its record" }),
});

const snapshot = { name: Type.String(), takenAt: dateTime(), rows: count() };

const sandboxEndpoint = Type.Object({ ...endpoint.properties, partner: Type.Integer() });

const faultRule = strictObject({
  id: count(),
  preset: nullable(Type.String()),
  match: strictObject({
    ...each(() => Type.Optional(Type.String()), "operation", "path", "method"),
    header: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Literal(true)]))),
    nth: Type.Optional(count()),
  }),
  phase: oneOf("before", "after"),
  times: nullable(Type.Integer({ description: "null: unlimited" })),
  skip: count(),
  probability: Type.Number(),
  then: strictObject({
    status: Type.Optional(Type.Integer()),
    retryAfter: Type.Optional(Type.Union([Type.Number(), Type.String()])),
    delay: Type.Optional(Type.String()),
    ...each(() => Type.Optional(Type.Boolean()), "reset", "hang", "truncate", "badChunk", "garbage"),
  }),
  description: Type.String(),
  ...each(count, "matched", "applied"),
});

const loggedBody = () =>
  nullable(
    strictObject({
      size: nullable(count()),
      ...each(() => nullable(Type.String()), "text", "base64"),
      truncated: Type.Boolean(),
      fields: nullable(headerPairs()),
    }),
  );

const loggedRequest = strictObject({
  number: count(),
  requestId: Type.String(),
  at: dateTime(),
  elapsedMs: Type.Number(),
  durationMs: nullable(Type.Number()),
  ...each(Type.String, "method", "target", "httpVersion"),
  ...each(() => nullable(Type.String()), "route", "operation"),
  basis: nullable(oneOf("documented", "assumed")),
  alias: nullable(strictObject(each(Type.String, "path", "canonicalPath"))),
  caller: nullable(strictObject({ partner: Type.Integer(), environment: environment() })),
  credentials: Type.Array(
    strictObject({
      place: oneOf("authorization", "x-api-key", "path", "query", "body", "header"),
      name: nullable(Type.String()),
      environment: nullable(environment()),
    }),
  ),
  requestHeaders: headerPairs(),
  requestBody: loggedBody(),
  status: nullable(Type.Integer()),
  responseHeaders: headerPairs(),
  responseBody: loggedBody(),
  problem: nullable(
    strictObject({
      code: Type.String(),
      errors: Type.Array(strictObject({ at: nullable(Type.String()), code: Type.String() })),
    }),
  ),
  outcome: oneOf("answered", "aborted", "lost", "running"),
  fault: nullable(Type.String()),
  varied: Type.Array(Type.String()),
  idempotentReplay: Type.Boolean(),
  webhooks: Type.Array(delivery),
  replayOf: nullable(count()),
});

const oauthClient = each(Type.String, "clientId", "clientSecret");
const apiKey = each(Type.String, "apiKey");

const like = {
  observedAt: nullable(dateTime()),
  isStale: Type.Boolean({ description: "compared with another version of the contract" }),
  notImitated: listOf(each(Type.String, "subject", "seen", "reason")),
};

export const SANDBOX_DOCUMENTS = {
  SandboxReady: strictObject({
    event: Type.Literal("ready"),
    url: Type.String(),
    pid: Type.Integer(),
    instanceId: Type.String(),
    controlToken: Type.String(),
    credentials: strictObject({
      sandbox: strictObject({ ...apiKey, ...oauthClient }),
      ...each(() => strictObject(apiKey), "production", "otherPartner"),
      unapproved: strictObject(oauthClient),
      webhook: strictObject(each(Type.String, "endpointId", "signingSecret")),
    }),
    like: nullable(strictObject(like)),
  }),
  SandboxStatus: strictObject({
    name: nullable(Type.String()),
    url: Type.String(),
    pid: nullable(Type.Integer()),
    seededEndpointId: nullable(Type.String()),
    startedAt: dateTime(),
    instanceId: Type.String(),
    seed: nullable(count()),
    /** By `--state`; null before the first save and without a state file. */
    saved: nullable(strictObject({ at: Type.String(), durationMs: count() })),
    /** Null while saves succeed, and without a state file. */
    saveFailure: nullable(strictObject(each(Type.String, "since", "message"))),
    clock,
    like: nullable(
      strictObject({ ...like, applied: listOf(each(Type.String, "operation", "subject", "seen")) }),
    ),
    clients: count(),
    ...each(countsByState, "jobs", "claims", "offers", "scans", "endpoints", "deliveries", "notifications"),
  }),
  Sandboxes: listOf({
    ...each(Type.String, "name", "url"),
    state: oneOf("up", "not_responding"),
    startedAt: nullable(dateTime()),
    clock: nullable(clock),
    seed: nullable(count()),
    pid: count(),
  }),
  SandboxDown: strictObject({
    name: nullable(Type.String()),
    stopped: Type.Boolean(),
    pid: nullable(Type.Integer()),
  }),
  InspectorTicket: strictObject({ url: Type.String(), expiresInSeconds: count() }),
  SandboxVariables: Type.Record(Type.String(), Type.String()),
  GreaseTrials: Type.Array(
    strictObject({
      ...each(Type.String, "dimension", "variant", "assumption", "source"),
      result: oneOf("pass", "fail", "untouched"),
      exitCode: Type.Integer(),
    }),
    { description: "with --grease-each; otherwise the command prints" },
  ),
  SandboxClock: clock,
  SandboxTasks: tasks,
  RestoredSandbox: strictObject({ clock }),
  SavedSnapshot: strictObject({
    name: Type.Optional(Type.String()),
    takenAt: Type.Optional(dateTime()),
    rows: Type.Optional(count()),
    file: Type.Optional(Type.String()),
  }),
  Snapshots: listOf(snapshot),
  EmittedDeliveries: listOf({
    ...each(Type.String, "deliveryId", "endpointId", "eventId", "type"),
    environment: environment(),
  }),
  SinkRequests: listOf({
    ...each(Type.String, "sink", "method", "target", "bodyBase64", "reason"),
    ...each(count, "number", "size"),
    at: dateTime(),
    headers: headerPairs(),
    responseStatus: nullable(Type.Integer()),
    verdict: oneOf("valid", "mismatch", "missing_header", "malformed", "unknown_endpoint"),
  }),
  LoggedRequests: Type.Array(loggedRequest),
  LoggedRequest: loggedRequest,
  HttpArchive: strictObject({
    log: Type.Object({
      version: Type.Literal("1.2"),
      creator: strictObject(each(Type.String, "name", "version")),
      entries: Type.Array(Type.Object({ request: Type.Object({}), response: Type.Object({}) })),
    }),
  }),
  WaitResult: Type.Union([delivery, job], { description: "what --delivery, --event or --job waited for" }),
  SandboxEndpoints: Type.Array(sandboxEndpoint),
  SandboxEndpoint: sandboxEndpoint,
  RotatedCredential: strictObject({ environment: environment(), apiKey: Type.String() }),
  FaultRule: faultRule,
  FaultRules: Type.Array(faultRule),
  FaultPresets: listOf({ ...each(Type.String, "name", "summary"), rule: Type.Object({}) }),
  Scenarios: listOf({
    ...each(Type.String, "name", "description", "state", "sellerName"),
    ...each(() => nullable(Type.String()), "failureCode", "review"),
    exitCode: Type.Integer(),
    resumed: nullable(strictObject({ state: Type.String(), exitCode: Type.Integer() })),
    layouts: Type.Array(oneOf("entry", "es003")),
    minRows: Type.Record(Type.String(), count(), { description: "by layout" }),
    maxRows: count(),
  }),
};
