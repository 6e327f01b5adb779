import { ALIAS_HEADERS, type BrokerAlias } from "./aliases.ts";
import { assumed, documented, type Label } from "./labels.ts";
import { oauthError } from "./oauth.ts";
import { type JsonObject, labelExtensions, toReference } from "./openapi-components.ts";
import { MEDIA_TYPE, type Operation, statusLabelOf, takesIdempotencyKey } from "./operation.ts";
import { COMMON_PROBLEMS, PROBLEMS, type ProblemCode, problem } from "./problems.ts";

/** Header name → what it says. No header of an answer is documented (§4, §7), so each is ours. */
type HeaderDescriptions = Readonly<Record<string, string>>;

const describeHeaders = (described: HeaderDescriptions, basis: Label = assumed("errors")): JsonObject =>
  Object.fromEntries(
    Object.entries(described).map(([name, description]) => [
      name,
      { description, schema: { type: "string" }, ...labelExtensions(basis) },
    ]),
  );

const REQUEST_ID: HeaderDescriptions = {
  "X-Request-Id": "The id of this request; a sane one of the caller's is echoed",
};

/** RFC 6749 §5.1 asks for both wherever a token might be told. */
const NO_CACHE: HeaderDescriptions = { "Cache-Control": "no-store", Pragma: "no-cache" };

/** Of a service that limits requests, on every answer: draft-ietf-httpapi-ratelimit-headers-10. */
const RATE_LIMIT = describeHeaders(
  {
    "RateLimit-Policy":
      "How many requests (q) a credential has in how many seconds (w), where there is a limit",
    RateLimit: "How many requests are left (r), and in how many seconds (t) the window ends",
  },
  assumed("limits"),
);

const REPLAY_HEADER: HeaderDescriptions = {
  "Idempotent-Replayed": "true where this is the stored answer of an earlier request",
};

/** What a refusal carries beside its body, by status. */
const PROBLEM_HEADERS: Readonly<Record<number, HeaderDescriptions>> = {
  401: { "WWW-Authenticate": "The challenge of RFC 6750 §3, or of HTTP Basic on the token route" },
  409: {
    "Retry-After": "Seconds, where waiting helps: report_not_ready, scan_not_ready, request_in_progress",
  },
  429: { "Retry-After": "Seconds until the window of the rate limit ends" },
};

const commonHeaders = ({ auth }: Operation): HeaderDescriptions => ({
  ...REQUEST_ID,
  ...(auth === "client" && NO_CACHE),
});

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  description: "A repeat of the same request with the same key answers with the stored answer for 24 hours",
  schema: { type: "string", minLength: 1, maxLength: 255 },
  ...labelExtensions(assumed("errors")),
};

function describeParameters(operation: Operation): JsonObject[] {
  const path = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
    ...labelExtensions(documented("§4 Endpoints")),
    ...(name !== undefined && toParameter(operation.params?.properties[name] as JsonObject | undefined)),
  }));
  const query = Object.entries(operation.query?.properties ?? {}).map(([name, schema]) =>
    queryParameter(name, schema as JsonObject, operation.query?.required?.includes(name) ?? false),
  );
  return [...path, ...query, ...(takesIdempotencyKey(operation) ? [IDEMPOTENCY_KEY] : [])];
}

const queryParameter = (name: string, schema: JsonObject, required: boolean): JsonObject => ({
  ...{ name, in: "query", required },
  ...toParameter(schema),
});

/** The label and the description of a schema are those of its parameter. */
function toParameter(given: JsonObject | undefined): JsonObject {
  if (!given) return {};
  const { "x-basis": basis, "x-source": source, description, ...schema } = given;
  return {
    ...{ schema, "x-basis": basis, "x-source": source },
    ...(description !== undefined && { description }),
  };
}

function describeSuccess(operation: Operation): JsonObject {
  const { response: answer } = operation;
  const binary = Object.fromEntries(
    (answer.alternativeTypes ?? []).map((type) => [type, { schema: { type: "string" } }]),
  );
  return {
    description: "Success",
    headers: {
      ...describeHeaders({
        ...commonHeaders(operation),
        ...(takesIdempotencyKey(operation) && REPLAY_HEADER),
        ...answer.headers,
      }),
      ...RATE_LIMIT,
    },
    content: { "application/json": { schema: toReference(answer.schema) }, ...binary },
    ...labelExtensions(answer.label),
    "x-status": labelExtensions(statusLabelOf(answer)),
  };
}

function describeProblems(operation: Operation): JsonObject {
  const oauth = operation.auth === "client";
  const codes: readonly ProblemCode[] = oauth
    ? ["malformed_request", "credential_invalid", "rate_limited", "internal_error", ...operation.problems]
    : [...COMMON_PROBLEMS, ...operation.problems];
  const problems = { "application/problem+json": { schema: toReference(problem) } };
  const oauthErrors = { "application/json": { schema: toReference(oauthError) } };
  const answers: JsonObject = {};
  for (const status of new Set(codes.map((code) => PROBLEMS[code].status))) {
    const named = codes.filter((code) => PROBLEMS[code].status === status);
    answers[status] = {
      description: oauth && status < 500 ? "An error of RFC 6749 §5.2" : named.join(", "),
      headers: {
        ...describeHeaders({ ...commonHeaders(operation), ...PROBLEM_HEADERS[status] }),
        ...RATE_LIMIT,
      },
      content: oauth && status < 500 ? oauthErrors : problems,
      ...labelExtensions(assumed(status === PROBLEMS.rate_limited.status ? "limits" : "errors")),
    };
  }
  return answers;
}

/** Where an operation is reached: its canonical path, its legacy one, or an alias. */
type Surface = "canonical" | "legacy" | BrokerAlias;

/** An operation of the document, as it is on one of its surfaces. */
export function pathItem(operation: Operation, surface: Surface): JsonObject {
  const { request } = operation;
  const legacy = surface === "legacy";
  const alias = typeof surface === "object" ? surface : null;
  const security =
    operation.auth === "client"
      ? [{ client: [] }, {}]
      : [{ bearer: [] }, { oauth: [] }, ...(legacy ? [{ apiKey: [] }] : [])];
  return {
    operationId: operation.id + operationIdSuffix(surface),
    summary: operation.summary,
    tags: [operation.id.slice(0, operation.id.indexOf("."))],
    security,
    parameters: describeParameters(operation),
    ...(request && {
      requestBody: {
        required: true,
        content: { [MEDIA_TYPE[request.kind]]: { schema: request.schema, ...multipartEncoding(operation) } },
      },
    }),
    responses: addHeaders(
      { [operation.response.status]: describeSuccess(operation), ...describeProblems(operation) },
      alias ? ALIAS_HEADER_DESCRIPTIONS : {},
    ),
    // The map names the alias; its method is ours (interface §4).
    ...labelExtensions(alias ? assumed("aliases") : operation.label),
    ...(surface !== "canonical" && { "x-canonical-path": alias?.canonicalPath ?? operation.path }),
    ...(alias && { "x-lifecycle": alias.lifecycle, deprecated: alias.lifecycle === "migration_only" }),
    "x-behaviours": operation.behaviours.map(({ rule, ...basis }) => ({ rule, ...labelExtensions(basis) })),
  };
}

const operationIdSuffix = (surface: Surface): string =>
  typeof surface === "string"
    ? { canonical: "", legacy: ".legacy" }[surface]
    : `.alias${surface.path
        .replace(/^\/broker/, "")
        .replace(/[/{}]+/g, ".")
        .replace(/\.$/, "")}`;

const ALIAS_HEADER_DESCRIPTIONS: JsonObject = Object.fromEntries(
  Object.entries({
    [ALIAS_HEADERS.alias]: "Exact alias path the request used",
    [ALIAS_HEADERS.canonicalPath]: "Canonical path the alias forwarded into",
    [ALIAS_HEADERS.lifecycle]: "Whether the alias is long_term or migration_only",
  }).map(([name, description]) => [
    name,
    { description, schema: { type: "string" }, ...labelExtensions(documented("§4 Broker alias map")) },
  ]),
);

const addHeaders = (responses: JsonObject, more: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const described = response as JsonObject;
      return [status, { ...described, headers: { ...(described.headers as JsonObject), ...more } }];
    }),
  );

const multipartEncoding = ({ request }: Operation): JsonObject =>
  request?.kind === "multipart" ? { encoding: { file: { contentType: "text/csv" } } } : {};
