import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import fc, { type Arbitrary } from "fast-check";
import { getContract } from "../../../src/contract/openapi.ts";
import { mostlyMatching, type Schema } from "../schema.ts";
import { type CredentialKind, type FuzzedService, startFuzzedService, varyService } from "../service.ts";
import { defineTarget, requireThat } from "../target.ts";
import {
  applyChanges,
  changeOf,
  hostileText,
  joinPieces,
  nesting,
  type Pieces,
  repetition,
} from "../text.ts";
import { formBody, formParts, type Part } from "./forms.ts";

/** A request; `@…@` in a text stands for something that only the sandbox knows. */
interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly credential: CredentialKind;
  readonly headers: readonly (readonly [string, string])[];
  readonly type: string | null;
  readonly body: Pieces | readonly Part[] | null;
  readonly framing: "length" | "chunked" | "gzip";
}

interface Input {
  /** Whether all are sent at once, over a connection each. */
  readonly isConcurrent: boolean;
  readonly requests: readonly FuzzedRequest[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface DescribedOperation {
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

const JSON_DELIMITERS = [
  '"',
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "\\",
  "\\ud800",
  "\0",
  "null",
  "1e999",
  "-",
  "\ufeff",
];

const credential = fc.oneof(
  { weight: 30, arbitrary: fc.constant<CredentialKind>("sandbox") },
  { weight: 3, arbitrary: fc.constantFrom<CredentialKind>("other", "production", "oauth", "apiKey") },
  { weight: 1, arbitrary: fc.constantFrom<CredentialKind>("none", "control") },
);

/** Header values without what would end them; `bytes` sends those. */
const headerValue = hostileText.map((text) => text.replace(/[\r\n\0]/g, "").slice(0, 300));

const oddHeader: Arbitrary<readonly [string, string]> = fc.oneof(
  fc.tuple(fc.constant("Idempotency-Key"), fc.oneof(fc.constantFrom("k1", "k2", "k3"), headerValue)),
  fc.tuple(
    fc.constantFrom(
      "Accept",
      "If-None-Match",
      "Content-Encoding",
      "X-Request-Id",
      "Cookie",
      "Accept-Encoding",
      "X-Forwarded-For",
    ),
    fc.oneof(
      headerValue,
      fc.constantFrom("*", "text/csv", "application/x-ndjson", "gzip", "application/json;q=0"),
    ),
  ),
);
const headers = fc.oneof(
  { weight: 6, arbitrary: fc.constant([]) },
  { weight: 2, arbitrary: fc.array(oddHeader, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.uuid().map((key) => [["Idempotency-Key", key] as const]) },
);

const jsonBody = (schema: Schema): Arbitrary<Pieces> => {
  const valid = mostlyMatching(schema).map((value) => JSON.stringify(value) ?? "null");
  return fc.oneof(
    { weight: 20, arbitrary: valid.map((text) => [text]) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(valid, fc.array(changeOf(JSON_DELIMITERS), { minLength: 1, maxLength: 3 }))
        .map(([text, changes]) => [applyChanges(text, changes)]),
    },
    { weight: 1, arbitrary: nesting },
    {
      weight: 1,
      arbitrary: fc.array(repetition(["[", '{"a":', "]", " ", '"', "1,", "\\u0000"], 100_000), {
        minLength: 1,
        maxLength: 3,
      }),
    },
  );
};

const formText = (schema: Schema): Arbitrary<Pieces> =>
  fc
    .array(fc.tuple(fc.constantFrom(...Object.keys(schema.properties ?? {}), "x"), hostileText), {
      maxLength: 4,
    })
    .map((pairs) => [new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString()]);

function bodyOf(operation: DescribedOperation): Arbitrary<Pick<FuzzedRequest, "type" | "body">> {
  const [content] = Object.entries(operation.requestBody?.content ?? {});
  const oddType = fc.constantFrom(
    "application/json",
    "text/plain",
    "application/json; charset=utf-16",
    "multipart/form-data",
    "",
  );
  const odd = fc.record({
    type: oddType,
    body: fc.oneof(hostileText, fc.constant("{}")).map((text): Pieces => [text]),
  });
  if (!content)
    return fc.oneof(
      { weight: 20, arbitrary: fc.constant({ type: null, body: null }) },
      { weight: 1, arbitrary: odd },
    );
  const [type, { schema }] = content;
  const own: Arbitrary<FuzzedRequest["body"]> =
    type === "multipart/form-data"
      ? formParts
      : type === "application/json"
        ? jsonBody(schema)
        : formText(schema);
  return fc.oneof(
    { weight: 30, arbitrary: fc.record({ type: fc.constant<string | null>(type), body: own }) },
    { weight: 1, arbitrary: odd },
    { weight: 1, arbitrary: fc.constant({ type, body: null }) },
  );
}

function pathOf(template: string, parameters: readonly Parameter[]): Arbitrary<string> {
  const values = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) =>
    fc.oneof(
      { weight: 12, arbitrary: fc.nat(50).map((index) => `@${name}:${index}@`) },
      { weight: 1, arbitrary: hostileText.map((text) => encodeURIComponent(text.toWellFormed())) },
    ),
  );
  const query = parameters
    .filter((parameter) => parameter.in === "query")
    .map(({ name, schema, required = false }) =>
      fc
        .oneof({ weight: 12, arbitrary: mostlyMatching(schema, name) }, { weight: 1, arbitrary: hostileText })
        .map((value) => {
          const text = typeof value === "string" ? value : JSON.stringify(value);
          // A reference is not encoded, because it is resolved later.
          return `${name}=${/^@\w+:\d+@$/.test(text) ? text : encodeURIComponent(text.toWellFormed())}`;
        })
        .chain((pair) => fc.constantFrom(...(required ? [pair, pair, pair, ""] : [pair, "", ""]))),
    );
  const extra = fc.oneof(
    { weight: 30, arbitrary: fc.constant("") },
    { weight: 1, arbitrary: hostileText.map((text) => encodeURIComponent(text.toWellFormed())) },
  );
  return fc.tuple(fc.tuple(...values), fc.tuple(...query), extra).map(([ids, pairs, more]) => {
    let index = 0;
    const path = template.replace(/\{\w+\}/g, () => ids[index++] ?? "");
    const search = [...pairs, more].filter(Boolean).join("&");
    return search === "" ? path : `${path}?${search}`;
  });
}

const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE"];

function requestsTo(path: string, method: string, operation: DescribedOperation): Arbitrary<FuzzedRequest> {
  return fc
    .record({
      method: fc.oneof(
        { weight: 30, arbitrary: fc.constant(method.toUpperCase()) },
        { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
      ),
      path: pathOf(path, operation.parameters),
      credential,
      headers,
      content: bodyOf(operation),
      framing: fc.oneof(
        { weight: 8, arbitrary: fc.constant<FuzzedRequest["framing"]>("length") },
        { weight: 1, arbitrary: fc.constantFrom<FuzzedRequest["framing"]>("chunked", "gzip") },
      ),
    })
    .map(({ content, ...request }) => ({ ...request, ...content }));
}

const operations = Object.entries(getContract().document.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, DescribedOperation>)
    .filter(([method]) => !method.startsWith("x-"))
    .map(([method, operation]) => requestsTo(path, method, operation)),
);

const unknownPath: Arbitrary<FuzzedRequest> = fc.record({
  method: fc.constantFrom(...METHODS),
  path: fc
    .array(fc.oneof(hostileText, fc.constantFrom("v1", "broker", "clients", "api", "..", "diligence")))
    .map((steps) => `/${steps.map((step) => encodeURIComponent(step.toWellFormed())).join("/")}`),
  credential,
  headers,
  type: fc.constant(null),
  body: fc.constant(null),
  framing: fc.constant<FuzzedRequest["framing"]>("length"),
});

const input: Arbitrary<Input> = fc.record({
  isConcurrent: fc.boolean(),
  requests: fc.array(
    fc.oneof({ weight: 40, arbitrary: fc.oneof(...operations) }, { weight: 1, arbitrary: unknownPath }),
    { minLength: 1, maxLength: 10 },
  ),
});

const BOUNDARY = "fuzz-boundary";

/** The bytes of a request. Undefined fields and references are those of this service. */
function encodeRequest(service: FuzzedService, request: FuzzedRequest): { target: string; bytes: Buffer } {
  const { method, framing, type } = request;
  const target = service.resolve(request.path);
  const headers: [string, string][] = [
    ["Host", `127.0.0.1:${service.sandbox.port}`],
    ...service.credentialHeader(request.credential).map(([name, value]): [string, string] => [name, value]),
    ...request.headers.map(([name, value]): [string, string] => [name, value]),
  ];
  let body: Buffer | null = null;
  if (
    request.body !== null &&
    type === "multipart/form-data" &&
    request.body.some((piece) => typeof piece === "object" && "name" in piece)
  ) {
    headers.push(["Content-Type", `multipart/form-data; boundary=${BOUNDARY}`]);
    body = Buffer.from(joinPieces(formBody(request.body as readonly Part[], BOUNDARY)), "latin1");
  } else if (request.body !== null) {
    if (type) headers.push(["Content-Type", type]);
    body = Buffer.from(service.resolve(joinPieces(request.body as Pieces)));
    if (framing === "gzip") {
      body = gzipSync(body);
      headers.push(["Content-Encoding", "gzip"]);
    }
  }
  if (body && framing === "chunked") {
    headers.push(["Transfer-Encoding", "chunked"]);
    const size = body.length.toString(16);
    body = Buffer.concat([
      Buffer.from(body.length > 0 ? `${size}\r\n` : ""),
      body,
      Buffer.from(`${body.length > 0 ? "\r\n" : ""}0\r\n\r\n`),
    ]);
  } else if (body) headers.push(["Content-Length", String(body.length)]);
  const head = `${method} ${target} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
  return { target, bytes: Buffer.concat([Buffer.from(head, "latin1"), body ?? Buffer.alloc(0)]) };
}

/** Where a record is read that this operation creates, by the members that identify it. */
const READERS: readonly (readonly [path: RegExp, read: (created: Record<string, string>) => string])[] = [
  [/diligence\/submit$/, ({ jobId }) => `/v1/diligence/status/${jobId}`],
  [/^\/v1\/portfolio-scans$/, ({ id }) => `/v1/portfolio-scans/${id}`],
  [/^\/v1\/claims$/, ({ id }) => `/v1/claims/status?claimId=${id}`],
];

/** 1. Requests of every operation, mutated from the OpenAPI document, over real sockets. */
export const requests = defineTarget<Input>({
  name: "requests",
  arbitrary: input,
  async open(onError, greaseSeed) {
    const service = await startFuzzedService(onError, varyService(greaseSeed));
    const send = async (request: FuzzedRequest, connection: number) => {
      const { target, bytes } = encodeRequest(service, request);
      const response = await service
        .connection(connection)
        .exchange(bytes, { isHead: request.method === "HEAD" });
      requireThat(response !== null, () => `${request.method} ${target}: no response`);
      service.checkResponse(request.method, target, response, request.credential);
      return { request, target, response };
    };
    return {
      async check({ isConcurrent, requests }) {
        const exchanges = isConcurrent
          ? await Promise.all(requests.map(send))
          : await requests.reduce<Promise<Awaited<ReturnType<typeof send>>[]>>(
              async (earlier, request) => [...(await earlier), await send(request, 0)],
              Promise.resolve([]),
            );
        if (greaseSeed === null)
          for (const { request, target, response } of exchanges) await checkKept(request, target, response);
        const accepted = exchanges.filter(({ response: { status } }) => status < 300).length;
        return { inputs: requests.length, responses: requests.length, accepted };
      },
      close: () => service.close(),
    };

    /** What was acknowledged is kept. X-API-Key works on some paths only. */
    async function checkKept(
      request: FuzzedRequest,
      target: string,
      response: { status: number; body: Buffer },
    ) {
      const read =
        request.method === "POST" && response.status < 300 && READERS.find(([path]) => path.test(target));
      if (!read) return;
      const created = JSON.parse(response.body.toString()) as Record<string, string>;
      const reader: FuzzedRequest = {
        ...request,
        credential: request.credential === "apiKey" ? "sandbox" : request.credential,
        method: "GET",
        path: read[1](created),
        headers: [],
        type: null,
        body: null,
      };
      const again = await send(reader, 0);
      requireThat(
        again.response.status === 200,
        () => `${again.target} → ${again.response.status} after ${target}`,
      );
    }
  },
});
