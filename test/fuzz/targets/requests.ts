import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import fc, { type Arbitrary } from "fast-check";
import { getContract } from "../../../src/contract/openapi.ts";
import { encodeForm, type Form, form } from "../forms.ts";
import { encodeRequest } from "../http-client.ts";
import { mostlyMatching, type Schema } from "../schema.ts";
import { type CredentialKind, defineServiceTarget, type FuzzedService } from "../service.ts";
import { requireThat } from "../target.ts";
import { hostileText, joinPieces, jsonText, mostly, nesting, type Pieces, repetition } from "../text.ts";

/** A request; `@…@` in a text stands for something that only the sandbox knows. */
interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly credential: CredentialKind;
  readonly headers: readonly (readonly [string, string])[];
  readonly type: string | null;
  readonly body: Pieces | Form | null;
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

const credential = fc.oneof(
  { weight: 30, arbitrary: fc.constant<CredentialKind>("sandbox") },
  { weight: 3, arbitrary: fc.constantFrom<CredentialKind>("other", "production", "oauth", "apiKey") },
  { weight: 1, arbitrary: fc.constantFrom<CredentialKind>("none", "control") },
);

/** Header values without what would end them; `bytes` sends those. */
const headerValue = hostileText.map((text) => text.replace(/[\r\n\0]/g, "").slice(0, 300));

const CLIENT_HEADERS = ["Accept", "If-None-Match", "Content-Encoding", "X-Request-Id", "Accept-Encoding"];

const oddHeader: Arbitrary<readonly [string, string]> = fc.oneof(
  fc.tuple(fc.constant("Idempotency-Key"), fc.oneof(fc.constantFrom("k1", "k2", "k3"), headerValue)),
  fc.tuple(
    fc.constantFrom(...CLIENT_HEADERS),
    fc.oneof(headerValue, fc.constantFrom("*", "text/csv", "application/x-ndjson", "gzip")),
  ),
);
const headers = fc.oneof(
  { weight: 6, arbitrary: fc.constant([]) },
  { weight: 2, arbitrary: fc.array(oddHeader, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.uuid().map((key) => [["Idempotency-Key", key] as const]) },
);

const longText = fc.array(repetition(["[", '{"a":', "]", " ", '"', "1,", "\\u0000"], 100_000), {
  minLength: 1,
  maxLength: 3,
});

const jsonBody = (schema: Schema): Arbitrary<Pieces> =>
  mostly(jsonText(mostlyMatching(schema)), fc.oneof(nesting, longText));

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
  if (!content) return mostly(fc.constant({ type: null, body: null }), odd, 20);
  const [type, { schema }] = content;
  const own: Arbitrary<FuzzedRequest["body"]> =
    type === "multipart/form-data" ? form : type === "application/json" ? jsonBody(schema) : formText(schema);
  return mostly(
    fc.record({ type: fc.constant<string | null>(type), body: own }),
    fc.oneof(odd, fc.constant({ type, body: null })),
    20,
  );
}

const encodeText = (text: string): string => encodeURIComponent(text.toWellFormed());

function pathOf(template: string, parameters: readonly Parameter[]): Arbitrary<string> {
  const values = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) =>
    mostly(
      fc.nat(50).map((index) => `@${name}:${index}@`),
      hostileText.map(encodeText),
    ),
  );
  const query = parameters
    .filter((parameter) => parameter.in === "query")
    .map(({ name, schema, required = false }) =>
      mostly(mostlyMatching(schema, name), hostileText)
        .map((value) => {
          const text = typeof value === "string" ? value : JSON.stringify(value);
          // A reference is not encoded, because it is resolved later.
          return `${name}=${/^@\w+:\d+@$/.test(text) ? text : encodeText(text)}`;
        })
        .chain((pair) => fc.constantFrom(...(required ? [pair, pair, pair, ""] : [pair, "", ""]))),
    );
  const extra = mostly(fc.constant(""), hostileText.map(encodeText), 30);
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
      method: mostly(fc.constant(method.toUpperCase()), fc.constantFrom(...METHODS), 30),
      path: pathOf(path, operation.parameters),
      credential,
      headers,
      content: bodyOf(operation),
      framing: mostly(
        fc.constant<FuzzedRequest["framing"]>("length"),
        fc.constantFrom<FuzzedRequest["framing"]>("chunked", "gzip"),
        8,
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
    .map((steps) => `/${steps.map(encodeText).join("/")}`),
  credential,
  headers,
  type: fc.constant(null),
  body: fc.constant(null),
  framing: fc.constant<FuzzedRequest["framing"]>("length"),
});

const input: Arbitrary<Input> = fc.record({
  isConcurrent: fc.boolean(),
  requests: fc.array(mostly(fc.oneof(...operations), unknownPath, 40), { minLength: 1, maxLength: 10 }),
});

const BOUNDARY = "b";

const isForm = (body: FuzzedRequest["body"]): body is Form => body !== null && "parts" in body;

/** The bytes of a request. References are those of this service. */
function encode(service: FuzzedService, request: FuzzedRequest): { target: string; bytes: Buffer } {
  const { body, framing, method, type } = request;
  const target = service.resolve(request.path);
  const headers = [...service.credentialHeader(request.credential), ...request.headers];
  if (isForm(body)) {
    headers.push(["Content-Type", `multipart/form-data; boundary=${BOUNDARY}`]);
    return { target, bytes: encodeRequest(method, target, headers, encodeForm(body, BOUNDARY)) };
  }
  if (type) headers.push(["Content-Type", type]);
  if (body === null) return { target, bytes: encodeRequest(method, target, headers) };
  const content = Buffer.from(service.resolve(joinPieces(body)));
  if (framing === "gzip") {
    headers.push(["Content-Encoding", "gzip"]);
    return { target, bytes: encodeRequest(method, target, headers, gzipSync(content)) };
  }
  if (framing === "length") return { target, bytes: encodeRequest(method, target, headers, content) };
  const head = encodeRequest(method, target, [...headers, ["Transfer-Encoding", "chunked"]]);
  const chunk = content.length > 0 ? [`${content.length.toString(16)}\r\n`, content, "\r\n"] : [];
  const chunks = [...chunk, "0\r\n\r\n"].map((piece) => Buffer.from(piece as string));
  return { target, bytes: Buffer.concat([head, ...chunks]) };
}

/** Where a record is read that this operation creates, by the members that identify it. */
const READERS: readonly (readonly [path: RegExp, read: (created: Record<string, string>) => string])[] = [
  [/diligence\/submit$/, ({ jobId }) => `/v1/diligence/status/${jobId}`],
  [/^\/v1\/portfolio-scans$/, ({ id }) => `/v1/portfolio-scans/${id}`],
  [/^\/v1\/claims$/, ({ id }) => `/v1/claims/status?claimId=${id}`],
];

/** 1. Requests of every operation, mutated from the OpenAPI document, over real sockets. */
export const requests = defineServiceTarget<Input>({
  name: "requests",
  arbitrary: input,
  isVaried: true,
  prepare(service, greaseSeed) {
    const send = async (request: FuzzedRequest, connection: number) => {
      const { target, bytes } = encode(service, request);
      const isHead = request.method === "HEAD";
      const response = await service.connection(connection).exchange(bytes, { isHead });
      requireThat(response !== null, () => `${request.method} ${target}: no response`);
      service.checkResponse(request.method, target, response, request.credential);
      return { request, target, response };
    };

    /** What was acknowledged is kept. X-API-Key works on some paths only. */
    async function checkKept({ request, target, response }: Awaited<ReturnType<typeof send>>) {
      const read =
        request.method === "POST" && response.status < 300 && READERS.find(([path]) => path.test(target));
      if (!read) return;
      const created = JSON.parse(response.body.toString()) as Record<string, string>;
      const credential = request.credential === "apiKey" ? "sandbox" : request.credential;
      const path = read[1](created);
      const content = { headers: [], type: null, body: null } as const;
      const again = await send({ ...request, ...content, credential, method: "GET", path }, 0);
      requireThat(
        again.response.status === 200,
        () => `${again.target} → ${again.response.status} after ${target}`,
      );
    }

    return async ({ isConcurrent, requests }) => {
      const exchanges = isConcurrent ? await Promise.all(requests.map(send)) : [];
      if (!isConcurrent) for (const request of requests) exchanges.push(await send(request, 0));
      if (greaseSeed === null) for (const exchange of exchanges) await checkKept(exchange);
      const accepted = exchanges.filter(({ response: { status } }) => status < 300).length;
      return { inputs: requests.length, responses: requests.length, accepted };
    };
  },
});
