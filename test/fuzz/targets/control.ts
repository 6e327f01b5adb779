import fc, { type Arbitrary } from "fast-check";
import { CONTROL_OPERATIONS, type ControlOperation } from "../../../src/contract/control.ts";
import { FAULT_PRESETS } from "../../../src/contract/fault-presets.ts";
import { encodeRequest, type RawResponse } from "../http-client.ts";
import { mostlyMatching, type Schema } from "../schema.ts";
import { type CredentialKind, defineServiceTarget, type FuzzedService } from "../service.ts";
import { requireThat } from "../target.ts";
import { hostileText, joinPieces, jsonText, mostly, nesting, type Pieces } from "../text.ts";

/** A request to the control API, or one to the service that gives it something to show. */
interface ControlRequest {
  readonly method: string;
  readonly path: string;
  readonly credential: CredentialKind;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Pieces | null;
}

interface Input {
  readonly requests: readonly ControlRequest[];
}

const someOf = (...valid: readonly string[]): Arbitrary<string> =>
  mostly(fc.constantFrom(...valid), hostileText, 8);

/** Path parameters and fields whose schema leaves open what the engine validates. */
const VALUES: Readonly<Record<string, Arbitrary<unknown>>> = {
  to: someOf("1s", "3h", "30d", "next", "idle", "2026-12-01T00:00:00Z", "a", "b"),
  name: someOf("a", "b", "default", "now"),
  number: someOf("1", "2", "3", "0"),
  id: fc.oneof(
    fc.nat(40).map((index) => `@deliveryId:${index}@`),
    fc.nat(40).map((index) => `@endpointId:${index}@`),
    someOf("1", "2"),
  ),
  endpointId: fc.nat(40).map((index) => `@endpointId:${index}@`),
  type: someOf("partner.test", "claim.updated"),
  dataJson: someOf("{}", '{"a":1.0}', "[", "1e400"),
  preset: someOf(...Object.keys(FAULT_PRESETS)),
  status: someOf("active", "disabled", "revoked", "500", "200", "204", "2xx", "failed"),
  method: someOf("GET", "POST"),
  path: someOf("/v1/clients", "/v1/*", "*"),
  operation: someOf("clients.list", "diligence.submit"),
  verdict: someOf("valid", "mismatch"),
  delay: someOf("1ms", "0s"),
  timeoutMs: fc.nat(3),
  limit: fc.integer({ min: -1, max: 300 }),
};

function withValues(schema: Schema): Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(schema.properties ?? {}).map(([name, inner]) => {
    const value = VALUES[name] ?? mostlyMatching(inner, name);
    return [
      name,
      inner.properties ? withValues(inner) : mostly(value, mostlyMatching(inner, name), 6),
    ] as const;
  });
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...(schema.required ?? [])] });
}

const faultRule = fc.record(
  {
    match: fc.record(
      { operation: VALUES.operation, path: VALUES.path, method: VALUES.method } as Record<
        string,
        Arbitrary<unknown>
      >,
      { requiredKeys: [] },
    ),
    phase: someOf("before", "after"),
    times: fc.integer({ min: 0, max: 3 }),
    skip: fc.integer({ min: -1, max: 3 }),
    probability: fc.double(),
    then: fc.record(
      {
        status: fc.integer({ min: 399, max: 600 }),
        retryAfter: fc.integer({ min: -1, max: 3 }),
        delay: someOf("1ms"),
        reset: fc.boolean(),
        truncate: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ["then"] },
);

const credential = mostly(
  fc.constant<CredentialKind>("control"),
  fc.constantFrom<CredentialKind>("none", "sandbox"),
  40,
);

const oddHeader = fc.tuple(
  fc.constantFrom("Origin", "Sec-Fetch-Site", "X-Request-Id", "Content-Type"),
  hostileText.map((text) => text.replace(/[\r\n\0]/g, "")),
);

const headers = mostly(fc.constant([]), fc.array(oddHeader, { maxLength: 2 }), 20);

/** Members of a body that take any JSON. */
const openMembers = fc.constantFrom('{"type":"partner.test","data":', '{"job":', '{"since":', "");

const nestedMember = fc
  .tuple(openMembers, nesting)
  .map(([head, pieces]): Pieces => (head === "" ? pieces : [head, ...pieces, "}"]));

const bodyOf = (value: Arbitrary<unknown>): Arbitrary<Pieces> => mostly(jsonText(value), nestedMember, 20);

const encodeText = (text: string): string => encodeURIComponent(text.toWellFormed());

const writeQuery = (fields: Record<string, unknown>): string =>
  Object.entries(fields)
    .map(
      ([name, value]) => `${name}=${encodeText(typeof value === "string" ? value : JSON.stringify(value))}`,
    )
    .join("&");

const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];

const operations = Object.entries(CONTROL_OPERATIONS as Record<string, ControlOperation>).map(
  ([key, { query, body }]) => {
    const [method = "", template = ""] = key.split(" ");
    const steps = template.split(/(\{\w+\})/).map((step) => {
      const [, name] = /^\{(\w+)\}$/.exec(step) ?? [];
      if (name === undefined) return fc.constant(step);
      return (VALUES[name] ?? hostileText).map((value) =>
        /^@/.test(String(value)) ? String(value) : encodeText(String(value)),
      );
    });
    const search = query
      ? withValues(query as Schema).map(writeQuery)
      : mostly(fc.constant(""), hostileText.map(encodeText), 20);
    return fc.record({
      method:
        method === "ANY"
          ? fc.constantFrom(...METHODS)
          : mostly(fc.constant(method), fc.constantFrom(...METHODS), 30),
      path: fc
        .tuple(fc.tuple(...steps), search)
        .map(([parts, text]) => `/_sandbox${parts.join("")}${text === "" ? "" : `?${text}`}`),
      credential,
      headers,
      body: contentOf(key, body as Schema | undefined),
    });
  },
);

function contentOf(key: string, body: Schema | undefined): Arbitrary<Pieces | null> {
  if (key === "POST /faults") return bodyOf(fc.oneof(faultRule, withValues({ properties: { preset: {} } })));
  if (body) return bodyOf(withValues(body));
  return key.startsWith("PUT") ? bodyOf(fc.jsonValue()) : fc.constant(null);
}

/** Fills the lists of requests, deliveries and jobs. */
const serviceRequest = fc.constantFrom<ControlRequest>(
  { method: "GET", path: "/v1/clients", credential: "sandbox", headers: [], body: null },
  {
    method: "POST",
    path: "/v1/sandbox/webhooks/test",
    credential: "sandbox",
    headers: [["Content-Type", "application/json"]],
    body: ['{"eventType":"partner.test","environment":"sandbox"}'],
  },
);

const input: Arbitrary<Input> = fc.record({
  requests: fc.array(mostly(fc.oneof(...operations), serviceRequest, 10), { minLength: 1, maxLength: 8 }),
});

/** A request that follows something has no end, and one may wait for an event that does not come. */
const MAX_WAIT_MS = 40;
const mayWait = (path: string) => /\/activity|\/wait|\/sink\/|\/v1\//.test(path);

/** 3. The control API. */
export const control = defineServiceTarget<Input>({
  name: "control",
  arbitrary: input,
  options: { webhookRetries: "none" },
  isVaried: true,
  prepare: (service) => async (input) => {
    let accepted = 0;
    let responses = 0;
    for (const request of input.requests) {
      const response = await send(service, request);
      if (!response) continue;
      responses += 1;
      if (response.status < 300) accepted += 1;
    }
    return { inputs: input.requests.length, responses, accepted };
  },
});

async function send(service: FuzzedService, request: ControlRequest) {
  const { method } = request;
  const path = service.resolve(request.path);
  const body = request.body === null ? null : service.resolve(joinPieces(request.body));
  const headers = [...service.credentialHeader(request.credential), ...request.headers];
  const bytes = encodeRequest(method, path, headers, body);
  const isService = path.startsWith("/v1/");
  const exchange = service
    .connection(0)
    .exchange(bytes, { isHead: method === "HEAD", ...(mayWait(path) && { timeoutMs: MAX_WAIT_MS }) });
  // A fault rule may damage responses of the service.
  const response = isService ? await exchange.catch(() => null) : await exchange;
  if (!response || isService) return null;
  checkControlResponse(service, method, path, response);
  return response;
}

function checkControlResponse(
  service: FuzzedService,
  method: string,
  path: string,
  { status, headers, body }: RawResponse,
): void {
  const text = body.toString("utf8");
  const describe = (problem: string) => () =>
    `${method} ${path} → ${status}: ${problem}\n${text.slice(0, 2_000)}`;
  // A sink responds as its URL asks.
  if (/^\/_sandbox\/sink\//.test(path)) return;
  requireThat(status < 500, describe("5xx"));
  if (method === "HEAD" || text === "") return;
  const type = headers.get("content-type") ?? "";
  requireThat(/json/.test(type) || status < 300, describe(`an error as ${type}`));
  if (!/^application\/(problem\+)?json/.test(type)) return;
  const json = JSON.parse(text) as Record<string, unknown>;
  if (status < 400) service.ids.collect(nounOf(path), text);
  if (status < 400) return;
  const { title, detail, code } = json;
  const isProblem = json.status === status && [title, detail, code].every((each) => typeof each === "string");
  requireThat(isProblem, describe("not a problem document"));
}

/** As an operation id begins. */
const nounOf = (path: string): string =>
  /endpoints/.test(path) ? "endpoints." : /deliver/.test(path) ? "deliverys." : "control.";
