import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "../../sandbox/index.ts";
import type { Exchange } from "../../src/contract/service-form/learn/samples.ts";
import { temporaryFolder } from "./cli.ts";
import { readFixture, submissionForm } from "./sandbox-requests.ts";

type Ids = Record<string, string>;

interface Step {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: (ids: Ids) => string;
  readonly json?: (ids: Ids) => object;
  readonly form?: () => FormData;
  /** The name under which the id in the response is kept. */
  readonly keeps?: string;
}

const get = (path: (ids: Ids) => string): Step => ({ method: "GET", path });
const post = (path: string, json: (ids: Ids) => object, keeps?: string): Step => ({
  ...{ method: "POST", path: () => path, json },
  ...(keeps !== undefined && { keeps }),
});

const upload = (file: string, keeps: string): Step => ({
  method: "POST",
  path: () => "/v1/diligence/submit",
  form: () => submissionForm({ file: readFixture(file) }),
  keeps,
});

const ORGANIZATION = {
  name: "North Pier Claims",
  contactName: "Ida Voss",
  contactEmail: "ida@northpier.example",
  countryCode: "US",
};

const endpoint = (label: string) => () => ({
  ...{ label, url: "http://127.0.0.1:9/hook", environmentScope: "sandbox" },
  subscribedEvents: ["partner.test"],
});

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

const testEvent = () => ({ eventType: "partner.test", environment: "sandbox" });

/** One call of nearly every operation, reads last, and two refusals. */
const WRITES: readonly Step[] = [
  post("/v1/webhooks/endpoints", endpoint("one"), "endpoint"),
  post("/v1/webhooks/endpoints", endpoint("two")),
  ...Array.from({ length: 3 }, () => post("/v1/sandbox/webhooks/test", testEvent)),
  upload("sample_entries.csv", "job"),
  upload("scenario_partial.csv", "partial"),
  post("/v1/clients", () => ({ name: "Harbor & Pine Trading, LLC" }), "client"),
  post("/v1/clients", () => ({ name: "North Pier", reference: "NP-1" })),
  post("/v1/clients", () => ({ name: "Zürich Tools" })),
  post("/v1/claims", ({ client, job }) => ({ clientId: client, jobId: job }), "claim"),
  post("/v1/offers", ({ claim }) => ({ claimId: claim })),
  post("/v1/litigation/enroll", ({ claim }) => ({ claimIds: [claim] })),
  post("/v1/portfolio-scans", () => ({ mode: "full" }), "scan"),
  { method: "PUT", path: () => "/v1/partner-organizations/north-pier", json: () => ORGANIZATION },
  post("/v1/diligence/jobs/no-job/resume", () => ({})),
];

const READS: readonly Step[] = [
  ...["/v1/webhooks/endpoints", "/v1/webhook-deliveries", "/v1/clients", "/v1/claims", "/v1/offers"].map(
    (path) => get(() => path),
  ),
  get(() => "/v1/clients?limit=1"),
  get(({ job }) => `/v1/diligence/status/${job}`),
  get(({ partial }) => `/v1/diligence/status/${partial}`),
  get(({ job }) => `/v1/diligence/report/${job}`),
  get(({ job }) => `/v1/diligence/dataset/${job}`),
  get(({ claim }) => `/v1/claims/status?claimId=${claim}`),
  get(({ scan }) => `/v1/portfolio-scans/${scan}`),
  get(({ scan }) => `/v1/portfolio-scans/${scan}/summary`),
  get(() => "/v1/revenue/ledger"),
  get(() => "/v1/revenue/dashboard"),
  get(() => "/v1/partner-organizations/north-pier"),
  get(() => "/v1/diligence/status/00000000-0000-4000-8000-000000000000"),
];

/**
 * Calls a service with each step, and returns the exchanges.
 *
 * @param ids of an equal sandbox: a sandbox that varies its responses makes the same ones
 */
export async function callEverything(
  sandbox: Sandbox,
  ids: Ids = {},
): Promise<{ exchanges: Exchange[]; deliveries: Exchange[]; ids: Ids }> {
  const exchanges: Exchange[] = [];
  const found: Ids = { ...ids };
  for (const step of [...WRITES, ...READS]) {
    const { method } = step;
    const path = step.path(found);
    const json = step.json?.(found);
    if (method !== "GET") await sandbox.clock.advance("1s");
    const response = await fetch(sandbox.url + path, {
      method,
      headers: {
        authorization: `Bearer ${sandbox.credentials.sandbox.apiKey}`,
        ...(json && { "content-type": "application/json" }),
      },
      ...(json && { body: JSON.stringify(json) }),
      ...(step.form && { body: step.form() }),
    });
    const body = await response.text();
    await sandbox.idle();
    // The id comes first, whatever its name and place.
    if (step.keeps !== undefined)
      found[step.keeps] ??= UUID.exec(`${response.headers.get("location")} ${body}`)?.[0] ?? "";
    exchanges.push({
      ...{ method, path, status: response.status, headers: [...response.headers], body },
      at: Date.parse(sandbox.clock.now()),
    });
  }
  const received = await sandbox.webhooks.sink();
  const deliveries = received.map(({ method, target, headers, bodyBase64, at }) => ({
    ...{ method, path: target, status: 200, headers: [...headers], at: Date.parse(at) },
    body: Buffer.from(bodyBase64, "base64").toString("utf8"),
  }));
  return { exchanges, deliveries, ids: found };
}

/** Saves exchanges as a HAR. */
export function saveHar(exchanges: readonly Exchange[]): string {
  const path = join(temporaryFolder(), "recorded.har");
  const entries = exchanges.map(({ method, path: target, status, headers, body, requestBody, at }) => ({
    startedDateTime: new Date(at).toISOString(),
    request: {
      ...{ method, url: `https://partners.example.com/prefix${target}`, headers: [] },
      ...(requestBody !== undefined && { postData: { mimeType: "application/json", text: requestBody } }),
    },
    response: { status, headers: headers.map(([name, value]) => ({ name, value })), content: { text: body } },
  }));
  writeFileSync(path, JSON.stringify({ log: { entries } }));
  return path;
}
