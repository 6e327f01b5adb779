import { createHmac } from "node:crypto";
import { type Fields, type Form, json, snakeForm } from "./forms.ts";
import { type ReceivedRequest, type RunningService, startServer, type WireResponse } from "./server.ts";

/** The status route of each service knows this job, and those that were submitted to it. */
export const JOB_ID = "3f2b8c1e-7d54-4a1b-9e6f-0c5d2a8b4e71";

const ENTITY_ID = "8d0f4a52-1c3b-4e6d-8f7a-2b9c5e1d3a64";

/** §4, the alias map: alias, canonical path, lifecycle. */
const ALIASES: readonly (readonly [string, string, "long_term" | "migration_only"])[] = [
  ["/broker/onboard", "/v1/partner-organizations/own", "migration_only"],
  ["/broker/v1/onboard", "/v1/partner-organizations/own", "long_term"],
  ["/broker/v1/webhooks/register", "/v1/webhooks/endpoints", "long_term"],
  ["/broker/v1/clients", "/v1/clients", "long_term"],
  ["/broker/v1/portfolio/scan", "/v1/portfolio-scans", "long_term"],
  ["/broker/v1/portfolio/delta-scan", "/v1/portfolio-scans", "migration_only"],
  ["/broker/v1/portfolio/summary", `/v1/portfolio-scans/${ENTITY_ID}/summary`, "migration_only"],
  ["/broker/v1/notifications", "/v1/notifications", "long_term"],
  ["/broker/v1/revenue/ledger", "/v1/revenue/ledger", "long_term"],
  ["/broker/v1/revenue/dashboard", "/v1/revenue/dashboard", "long_term"],
  ["/broker/v1/claims", "/v1/claims", "long_term"],
  ["/broker/v1/offers", "/v1/offers", "long_term"],
  ["/broker/v1/litigation/enroll", "/v1/litigation/enroll", "long_term"],
];

const AT = "2026-11-23T09:30:00Z";
const EVENTS = [
  "partner.test",
  "partner.capability.changed",
  "partner.environment.promoted",
  "partner.credential.rotated",
];
const SIGNING_SECRET = "whsec_foreign_service_0123456789";

const ROWS: Readonly<Record<string, readonly Fields[]>> = {
  clients: [
    { id: "c0a8e1d2-0000-4000-8000-000000000001", name: "Acme Imports", createdAt: AT },
    { id: "c0a8e1d2-0000-4000-8000-000000000002", name: "Müller GmbH", createdAt: AT },
  ],
  claims: [{ id: "c1a8e1d2-0000-4000-8000-000000000001", status: "filed", total: 129900, currency: "USD" }],
  offers: [{ id: "0ffe81d2-0000-4000-8000-000000000001", status: "open", amount: 5000 }],
  endpoints: [
    {
      id: "e0a8e1d2-0000-4000-8000-000000000001",
      label: "orders",
      url: "https://hooks.example/claims",
      subscribedEvents: ["partner.test"],
      environmentScope: "sandbox",
      secretPrefix: "whsec_forei",
      status: "active",
    },
  ],
  deliveries: [
    {
      id: "d0a8e1d2-0000-4000-8000-000000000001",
      status: "failed",
      attemptCount: 3,
      lastResponseStatus: 500,
      lastError: "http_status",
      lastAttemptAt: AT,
      nextAttemptAt: null,
      deliveredAt: null,
    },
  ],
  ledger: [{ id: "1ed9e1d2-0000-4000-8000-000000000001", amount: 129900, currency: "USD", postedAt: AT }],
};

interface Job {
  readonly id: string;
  readonly seller: string;
  reads: number;
}

const fieldOfForm = (request: ReceivedRequest, name: string) =>
  new RegExp(`name="?${name}"?\\r\\n(?:[^\\r\\n]+\\r\\n)*\\r\\n([^\\r]*)\\r\\n`).exec(
    request.body.toString("utf8"),
  )?.[1];

function jsonBody(request: ReceivedRequest): Fields | undefined {
  try {
    const value: unknown = JSON.parse(request.body.toString("utf8") || "{}");
    return typeof value === "object" && value !== null ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

function stateOf(job: Job, form: Form): string {
  const [queued, running, finished] = form.states;
  job.reads += 1;
  return job.reads === 1 ? queued : job.reads === 2 ? running : finished;
}

function submit(request: ReceivedRequest, jobs: Map<string, Job>, form: Form): WireResponse {
  const seller = fieldOfForm(request, "seller_name");
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) return form.error(415, "Expected a multipart form");
  if (seller === undefined || !request.body.includes("filename="))
    return form.error(422, "seller_name and file are required");
  const id = `5ab3c1de-0000-4000-8000-${String(jobs.size).padStart(12, "0")}`;
  const job: Job = { id, seller, reads: 0 };
  jobs.set(id, job);
  return form.submit(id, { status: form.states[0], sellerName: seller, createdAt: AT });
}

/** status, report, dataset and resume of one job. */
function readJob(
  method: string,
  route: string,
  id: string,
  jobs: Map<string, Job>,
  form: Form,
): WireResponse | undefined {
  const job = jobs.get(id);
  if (job === undefined) return form.error(404, `Unknown job ${id}`);
  const seller = { sellerName: job.seller };
  switch (`${method} ${route}`) {
    case "GET status":
      return form.record("job", id, { status: stateOf(job, form), ...seller, createdAt: AT });
    case "GET report":
      return form.record("report", id, {
        jobId: id,
        rf8Review: { outcome: "eligible", reviewedAt: AT, reasons: [] },
        ...seller,
      });
    case "GET dataset":
      return json(200, { jobId: id, rows: [{ entryNumber: "ABC-1234567-8", dutyPaid: "129.90" }] });
    case "POST resume":
      return form.error(409, "Only a partial or failed job can be resumed");
    default:
      return undefined;
  }
}

function testEvent(body: Fields): WireResponse {
  const payload = JSON.stringify({ type: body.eventType, environment: "sandbox", data: {} });
  const timestamp = "1795426200";
  const signature = createHmac("sha256", SIGNING_SECRET).update(`${timestamp}.${payload}`).digest("hex");
  return json(200, {
    payload,
    headers: {
      "X-Service-Event": body.eventType,
      "X-Service-Timestamp": timestamp,
      "X-Service-Signature": signature,
    },
  });
}

function contract(): WireResponse {
  return json(200, {
    openapi: "3.1.0",
    info: { title: "Claims", version: "7" },
    paths: { "/v1/diligence/submit": { post: { responses: { "202": { description: "Queued" } } } } },
  });
}

function token(request: ReceivedRequest): WireResponse {
  const form = new URLSearchParams(request.body.toString("utf8"));
  return form.get("grant_type") === "client_credentials"
    ? json(200, { access_token: "at_sandbox_foreign_0123456789", token_type: "bearer", expires_in: 900 })
    : json(400, { error: "unsupported_grant_type" });
}

/** The remaining families: records that repeat what was sent. */
function respondToFamily(
  request: ReceivedRequest,
  path: string,
  here: string,
  form: Form,
): WireResponse | undefined {
  const page = Number(request.query.get("page") ?? "1");
  const list = (kind: string) => form.list(kind, ROWS[kind] ?? [], page, 1, here);
  const body = jsonBody(request);
  if (body === undefined) return form.error(400, "The body is not a JSON object");
  const create = (kind: string, status = 201, fields: Fields = body) =>
    form.record(kind, ENTITY_ID, fields, status);
  const [, scan, summary] = /^\/v1\/portfolio-scans\/([^/]+)(\/summary)?$/.exec(path) ?? [];
  if (scan !== undefined && request.method === "GET")
    return form.record("scan", scan, summary ? { claims: 3, refundTotal: 129900 } : { status: "finished" });
  if (path.startsWith("/v1/partner-organizations/"))
    return form.record("organization", ENTITY_ID, { name: "Partner", ...body });
  switch (`${request.method} ${path}`) {
    case "GET /v1/clients":
      return list("clients");
    case "POST /v1/clients":
      return create("client");
    case "GET /v1/claims":
      return list("claims");
    case "POST /v1/claims":
      return create("claim");
    case "GET /v1/claims/status":
      return form.record("claim", request.query.get("claimId") ?? "", { status: "filed" });
    case "GET /v1/offers":
      return list("offers");
    case "POST /v1/offers":
      return create("offer");
    case "POST /v1/litigation/enroll":
      return create("enrollment");
    case "POST /v1/notifications":
      return create("notification");
    case "POST /v1/portfolio-scans":
      return create("scan", 202);
    case "GET /v1/revenue/ledger":
      return list("ledger");
    case "GET /v1/revenue/dashboard":
      return json(200, { refunded: 129900, fees: 12990, currency: "USD" });
    case "GET /v1/webhooks/endpoints":
      return list("endpoints");
    case "POST /v1/webhooks/endpoints":
      return create("endpoint", 201, {
        ...body,
        status: "active",
        secretPrefix: SIGNING_SECRET.slice(0, 12),
        signingSecret: SIGNING_SECRET,
      });
    case "GET /v1/webhook-deliveries":
      return list("deliveries");
    case "POST /v1/sandbox/webhooks/test":
      return EVENTS.includes(String(body.eventType)) ? testEvent(body) : form.error(422, "Unknown eventType");
    default:
      return undefined;
  }
}

/** A service that answers each route of the interface, with its own names, states, envelopes and lists. */
export function startService(form: Form = snakeForm): Promise<RunningService> {
  const jobs = new Map<string, Job>([[JOB_ID, { id: JOB_ID, seller: "Acme", reads: 2 }]]);
  return startServer((request, url) => {
    const { method, headers } = request;
    const alias = ALIASES.find(([path]) => path === request.path);
    const path = alias?.[1] ?? request.path.replace(/^\/api\/diligence\//, "/v1/diligence/");
    if (`${method} ${path}` === "POST /v1/oauth/token") return token(request);
    if (headers.authorization === undefined && headers["x-api-key"] === undefined)
      return form.error(401, "Credentials are required");
    const [, route, status, resume] =
      /^\/v1\/diligence\/(?:(status|report|dataset)\/([^/]+)|jobs\/([^/]+)\/resume)$/.exec(path) ?? [];
    const response =
      `${method} ${path}` === "POST /v1/diligence/submit"
        ? submit(request, jobs, form)
        : `${method} ${path}` === "GET /v1/docs/openapi"
          ? contract()
          : (status ?? resume) !== undefined
            ? readJob(method, route ?? "resume", decodeURIComponent(status ?? resume ?? ""), jobs, form)
            : respondToFamily(request, path, `${url}${request.path}`, form);
    const sent = response ?? form.error(404, `No route ${method} ${request.path}`);
    return alias === undefined
      ? sent
      : {
          ...sent,
          headers: {
            ...sent.headers,
            "x-service-broker-alias": alias[0],
            "x-service-canonical-path": path,
            "x-service-compatibility-lifecycle": alias[2],
          },
        };
  });
}
