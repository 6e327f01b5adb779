/**
 * The statements of the interface: id → section and statement. Documented and advised ones are in our words; open ones, which
 * an assumption substitutes for, are quoted. The ids are stable: labels, assumptions and rules refer to them.
 */
export const STATEMENTS = {
  contract: {
    environments: "§1: The environments are sandbox and production.",
    "job.results": "§1: A job is processed asynchronously and read back as status, report and dataset.",
    rf8Review: "§1: The report contains rf8Review, the public source of truth for diligence outcomes.",
    "endpoint.id":
      "§2: An endpoint has a durable UUID, which filters delivery history and targets sandbox tests.",
    "endpoint.label": "§2: An endpoint has a label, supplied at creation.",
    "endpoint.url": "§2: An endpoint has the URL of its receiver, supplied at creation.",
    "endpoint.subscribedEvents": "§2: An endpoint has a list of event names, supplied at creation.",
    "endpoint.environmentScope": "§2: The scope of an endpoint is sandbox, production or all.",
    "endpoint.secretPrefix": "§2: secretPrefix identifies the stored secret without exposing it.",
    "endpoint.status": "§2: The status of an endpoint is active, disabled or revoked.",
    "endpoint.signingSecret": "§2: signingSecret is text, in the response to the creation and in no other.",
    "delivery.status": "§2: The status of a delivery is queued, delivered, retrying or failed.",
    "delivery.attemptCount": "§2: A delivery counts its attempts.",
    "delivery.lastResponseStatus": "§2: A delivery has the status with which the receiver last answered.",
    "delivery.lastError": "§2: A delivery has the detail of its failure.",
    "delivery.lastAttemptAt": "§2: A delivery has the time of its last attempt.",
    "delivery.nextAttemptAt": "§2: A delivery has the time of its next retry.",
    "delivery.deliveredAt": "§2: A delivery has the time of its success.",
    "job.id": "§2: A job has a UUID, {jobId} in its routes.",
    "delivery.retries": "§3: Failed attempts are repeated.",
    "job.states": "§3: A job can be partial or failed.",
    "submit.queued": "§3: 202 means queued, not complete; the response has the job id.",
    credentials: "§4: Every route takes credentials.",
    "content.json": "§4: JSON routes use Content-Type application/json.",
    "webhooks.create": "§4: POST /v1/webhooks/endpoints takes the four fields and returns record and secret.",
    "webhooks.endpoints": "§4: GET /v1/webhooks/endpoints lists the endpoints of the partner.",
    "webhooks.deliveries": "§4: GET /v1/webhook-deliveries lists the deliveries of the partner.",
    "deliveries.filter": "§4: Deliveries can be filtered by the id of an endpoint.",
    "webhooks.test": "§4: POST /v1/sandbox/webhooks/test returns a signed preview of the event.",
    "test.eventType": "§4: A test event has one of the four published types.",
    "test.environment": "§4: A test event names its environment (text, sandbox in the shape).",
    "test.credential": "§4: Test events are sent with a sandbox credential.",
    token: "§4: POST /v1/oauth/token exists in the sandbox only.",
    "token.form": "§4: The token route takes a form of grant_type, client_id and client_secret.",
    submit: "§4: POST /v1/diligence/submit takes a multipart form of three parts and returns 202.",
    "submit.seller_name": "§4: seller_name is text.",
    "submit.requires_protest_documentation": "§4: requires_protest_documentation is a boolean as text.",
    "submit.file": "§4: file is a CSV of type text/csv.",
    "diligence.status": "§4: GET /v1/diligence/status/{jobId} returns the job record as application/json.",
    "diligence.report": "§4: GET /v1/diligence/report/{jobId} returns the report.",
    "diligence.dataset": "§4: GET /v1/diligence/dataset/{jobId} returns the dataset.",
    resume: "§4: POST /v1/diligence/jobs/{jobId}/resume has no body and is for partial or failed jobs only.",
    legacy: "§4: Every diligence route has a legacy path under /api/diligence/.",
    "clients.list": "§4: GET /v1/clients lists clients.",
    "claims.status": "§4: GET /v1/claims/status takes claimId, text, in the query.",
    "contract.live": "§4: GET /v1/docs/openapi returns the machine-readable contract of the live service.",
    "alias.map": "§4: The map forwards each alias to its canonical path, with a family and a lifecycle.",
    "alias.verbs":
      "§4: Words of the alias map imply methods: create and list, read, detail, creates, enrolls.",
    "alias.delta": "§4: Legacy delta-scan payloads become scan requests.",
    "alias.headers": "§4: A response to an alias names alias, canonical path and lifecycle in three headers.",
    bearer: "§5.1: Most routes accept the managed credential as Authorization: Bearer.",
    apiKey: "§5.2: The compatibility paths of diligence also accept it as X-API-Key.",
    "oauth.tokens": "§5.3: Approved sandbox clients get opaque tokens, sent as Authorization: Bearer.",
    "event.types": "§6: The published event types are the four of the synthetic test events.",
    "event.header": "§6: X-Service-Event has the name of the event.",
    "event.timestamp": "§6: X-Service-Timestamp has the time of the signature.",
    "event.signature": "§6: X-Service-Signature has the lower-case hex HMAC-SHA256.",
    "signature.base": "§6: The base string is the timestamp, a full stop and the raw body.",
    "signature.key": "§6: The HMAC-SHA256 of the base string is keyed with the endpoint's signingSecret.",
    "event.rejected": "§6: A receiver rejects a delivery without timestamp or signature before routing.",
    successes: "§7: Success status shown: 202 Accepted on diligence submit (queue handoff).",
    canonical: "§9.1: Canonical routes have the prefix /v1/.",
    "results.pinned": "§9.3: Consumers of report and dataset are pinned to one job id and contract version.",
    "contract.hash": "§9.4: A cutover is validated against the same OpenAPI hash as the deployment.",
  },
  /** Rules for clients and receivers. */
  client: {
    routes: "Preamble: The document covers the whole interface, and so every path of the service.",
    "base.url": "Preamble: The routes and the token route are relative to a base URL.",
    "job.record": "§2: Record the job id immediately.",
    "resume.explicit": "§4: Resume a job as an explicit action.",
    "alias.log": "§4: Log the headers of alias traffic.",
    "production.managed": "§5.4: In production, use managed credentials, not tokens.",
    "events.exact": "§6: Register the exact names of the events that the receiver expects.",
    "events.scope": "§6: Keep environmentScope aligned with where the receiver runs.",
    "event.routing": "§6: Route on the event name only after verification.",
    "signature.timestamp": "§6: Recompute with the exact value of the timestamp.",
    "signature.raw": "§6: Preserve the raw body; verify before parsing.",
    "signature.comparison": "§6: Compare signatures in constant time.",
    "signature.freshness": "§6: Apply a freshness policy of your own: no replay window is built in.",
    "canonical.first": "§9.1: Target canonical routes with new work.",
    "alias.sunset": "§9.2: Set a sunset date for each migration-only alias.",
  },
  context: {
    scope: "Preamble: What the document covers.",
    purpose: "§1: What the service is for, and its areas.",
  },
  /** What the interface leaves open. */
  open: {
    rules: "§1: Business rules of the claim, offer, litigation, scan and revenue areas: not shown.",
    endpointTimes:
      "§2: the record carries last-delivery, last-success and last-failure timestamps; exact field names: not shown.",
    deliveryFields:
      "§2: Other delivery fields (identifier, the service reference, event name, payload): not shown.",
    diligenceFields: "§2: Fields of the job, report and dataset beyond rf8Review: not shown.",
    resources:
      "§2: Fields of clients, claims, offers, litigation enrollments, notifications, portfolio scans, partner organizations and revenue records: not shown.",
    endpointStates: "§3: the service statuses: active, disabled, revoked. Transitions: not shown.",
    deliveryStates: "§3: Delivery statuses: queued, delivered, retrying, failed. Transitions: not shown.",
    states: "§3: The state after resume and the full state set: not shown.",
    paging: "§4: Query parameters and paging of the two list routes: not shown.",
    preview: "§4: Fields of the signed preview: not shown.",
    diligence:
      "§4: Response body fields of diligence routes, including the name of the job identifier field: not shown.",
    aliases:
      "§4: Methods, parameters and payloads of the routes in the alias table, and of GET /v1/clients and GET /v1/claims/status: not shown beyond what is stated.",
    tokens: "§5.6: Token response fields and token lifetime: not shown.",
    eventNames: "§6: whether names outside the published four are accepted: not shown.",
    triggers:
      "§6: partner.credential.rotated implies a credential rotation; other triggers are not shown beyond their names.",
    payload: "§6: Payload body shape and timestamp format: not shown.",
    retries: "§6: Retry schedule and attempt limit: not shown.",
    errors:
      "§7: Error status codes, error codes and error body shape, including the failure behavior for bad credentials: not shown.",
    limits: "§8: Rate limits, upload size limits, page sizes and retry counts: not shown.",
    versions: "§9.5: Sunset dates and a version-selection mechanism: not shown.",
  },
} as const satisfies Record<string, Readonly<Record<string, string>>>;

export type StatementKind = keyof typeof STATEMENTS;
type ContractStatement = keyof (typeof STATEMENTS)["contract"];
export type StatementId = ContractStatement | keyof (typeof STATEMENTS)["client"];
/** A statement that says "not shown", or less than a service needs. */
export type OpenStatementId = ContractStatement | keyof (typeof STATEMENTS)["open"];
