import type { TObject } from "typebox";
import { ALIAS_HEADERS, aliasMethodLabel, type BrokerAlias } from "./aliases.ts";
import { assumed, type Basis, documented, type SourcedBasis } from "./labels.ts";
import {
  exampleOfRequest,
  type JsonObject,
  labelExtensions,
  referToExample,
  ruleExtensions,
  toReference,
} from "./openapi-components.ts";
import { oauthError } from "./operations/oauth.ts";
import {
  MEDIA_TYPE,
  methodLabelOf,
  type Operation,
  statusLabelOf,
  takesIdempotencyKey,
} from "./operations/operation.ts";
import {
  COMMON_PROBLEMS,
  HTTP_PROBLEMS,
  PROBLEMS,
  type ProblemCode,
  problem,
  WRITE_PROBLEMS,
} from "./problems.ts";

/** Where clients reach an operation: its canonical path, its legacy one, or an alias. */
type Surface = "canonical" | "legacy" | BrokerAlias;

/** Builds the Operation Object of OpenAPI. @param name of the operation on this surface, if the path has it with several methods */
export function buildOperationObject(
  operation: Operation,
  surface: Surface,
  name = operation.id,
): JsonObject {
  const { id, summary, request, response } = operation;
  const description = describeBehaviours(operation);
  const alias = typeof surface === "object" ? surface : null;
  return {
    operationId: name + operationIdSuffix(surface),
    summary,
    description:
      surface === "canonical"
        ? description
        : `${description} A compatibility path of ${alias?.canonicalPath ?? operation.path}: new work uses that one.`,
    tags: [id.slice(0, id.indexOf("."))],
    security: describeSecurity(operation, surface === "legacy"),
    parameters: describeParameters(operation),
    ...(request && {
      requestBody: {
        required: true,
        content: {
          [MEDIA_TYPE[request.kind]]: {
            schema: request.schema,
            ...exampleOfRequest(id, request.schema),
            ...(request.kind === "multipart" && { encoding: { file: { contentType: "text/csv" } } }),
          },
        },
      },
    }),
    responses: {
      [response.status]: describeSuccess(operation, alias !== null),
      ...describeProblems(operation, alias !== null),
    },
    // Of the method; the path item has the label of the path.
    ...labelExtensions(alias ? aliasMethodLabel(alias) : methodLabelOf(operation)),
    ...(surface !== "canonical" && { "x-canonical-path": alias?.canonicalPath ?? operation.path }),
    ...(alias && { "x-family": alias.family }),
    ...(alias && { "x-lifecycle": alias.lifecycle, deprecated: alias.lifecycle === "migration_only" }),
    ...ruleExtensions(operation.behaviours),
  };
}

/** The rules of the operation in words, for readers of the document; `x-behaviours` has them with their sources. */
function describeBehaviours({ summary, behaviours }: Operation): string {
  const list = (wanted: Basis) => behaviours.flatMap(({ basis, rule }) => (basis === wanted ? rule : []));
  const assumptions = list("assumed");
  const sentences = [...list("documented"), ...(assumptions.length > 0 ? ["Assumed:", ...assumptions] : [])];
  return sentences.join(" ") || `${summary}.`;
}

const operationIdSuffix = (surface: Surface): string =>
  typeof surface === "string"
    ? { canonical: "", legacy: ".legacy" }[surface]
    : `.alias${surface.path
        .replace(/^\/broker/, "")
        .replace(/[/{}]+/g, ".")
        .replace(/\.$/, "")}`;

const describeSecurity = ({ auth }: Operation, isLegacy: boolean): JsonObject[] =>
  auth === "client"
    ? [{ client: [] }, {}]
    : [{ bearer: [] }, { oauth: [] }, ...(isLegacy ? [{ apiKey: [] }] : [])];

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  description: "A repeat of the same request with the same key gets the stored response for 24 hours",
  schema: { type: "string", minLength: 1, maxLength: 255 },
  ...labelExtensions(assumed("errors")),
};

/** The label of a path parameter that its row does not label: a job has a UUID (§2), another id has no form. */
export const pathParameterLabel = (name: string): SourcedBasis =>
  documented(name === "jobId" ? "job.id" : "alias.map");

function describeParameters(operation: Operation): JsonObject[] {
  const { params, query, path } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string", ...(name === "jobId" && { format: "uuid" }) },
    ...labelExtensions(pathParameterLabel(name)),
    ...describeSchema(params, name),
  }));
  const inQuery = Object.keys(query?.properties ?? {}).map((name) => ({
    name,
    in: "query",
    required: query?.required?.includes(name) ?? false,
    ...describeSchema(query, name),
  }));
  return [...[...inPath, ...inQuery], ...(takesIdempotencyKey(operation) ? [IDEMPOTENCY_KEY] : [])];
}

/** The label and the description of a schema are those of its parameter. */
function describeSchema(parameters: TObject | undefined, name: string): JsonObject {
  const property = parameters?.properties[name] as JsonObject | undefined;
  if (!property) return {};
  const { "x-basis": basis, "x-source": source, description, ...schema } = property;
  return { schema, "x-basis": basis, "x-source": source, ...(description !== undefined && { description }) };
}

/** Header name → description. No header of a response is documented (§4, §7), so each is ours. */
type HeaderDescriptions = Readonly<Record<string, string>>;

const describeHeaders = (headers: HeaderDescriptions, label: SourcedBasis = assumed("errors")): JsonObject =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [
      name,
      { description, schema: { type: "string" }, ...labelExtensions(label) },
    ]),
  );

const REQUEST_ID: HeaderDescriptions = {
  "X-Request-Id": "The id of this request; the caller's own is echoed where it is well-formed",
};

/** RFC 6749 §5.1 requires both on every response that may contain a token. */
const NO_CACHE: HeaderDescriptions = { "Cache-Control": "no-store", Pragma: "no-cache" };

const REPLAY_HEADER: HeaderDescriptions = {
  "Idempotent-Replayed": "true where this is the stored response of an earlier request",
};

/** On every response of a service that limits requests: draft-ietf-httpapi-ratelimit-headers-10. */
const RATE_LIMIT = describeHeaders(
  {
    "RateLimit-Policy":
      "How many requests (q) a credential has in how many seconds (w), where there is a limit",
    RateLimit: "How many requests are left (r), and in how many seconds (t) the window ends",
  },
  assumed("limits"),
);

const ALIAS_HEADER_DESCRIPTIONS = describeHeaders(
  {
    [ALIAS_HEADERS.alias]: "Exact alias path the request used",
    [ALIAS_HEADERS.canonicalPath]: "Canonical path the alias forwarded into",
    [ALIAS_HEADERS.lifecycle]: "Whether the alias is long_term or migration_only",
  },
  documented("alias.headers"),
);

const PROBLEM_HEADERS: Readonly<Record<number, HeaderDescriptions>> = {
  401: { "WWW-Authenticate": "The challenge of RFC 6750 §3, or of HTTP Basic on the token route" },
  406: { Vary: "Accept" },
  409: {
    "Retry-After": "Seconds, where waiting helps: report_not_ready, scan_not_ready, request_in_progress",
  },
  429: { "Retry-After": "Seconds until the window of the rate limit ends" },
  503: { "Retry-After": "Seconds until a connection may be free" },
};

const responseHeaders = (
  { auth }: Operation,
  isAlias: boolean,
  own: HeaderDescriptions | undefined,
): JsonObject => ({
  ...describeHeaders({ ...REQUEST_ID, ...(auth === "client" && NO_CACHE), ...own }),
  ...RATE_LIMIT,
  ...(isAlias && ALIAS_HEADER_DESCRIPTIONS),
});

function describeSuccess(operation: Operation, isAlias: boolean): JsonObject {
  const { headers, schema, alternativeTypes = [], label, followedBy } = operation.response;
  const text = alternativeTypes.map((type) => [
    type,
    { schema: { type: "string" }, ...(type === "text/csv" && referToExample(`${operation.id}.csv`)) },
  ]);
  return {
    description: "Success",
    headers: responseHeaders(operation, isAlias, {
      ...(takesIdempotencyKey(operation) && REPLAY_HEADER),
      ...headers,
    }),
    content: {
      "application/json": { schema: toReference(schema), ...referToExample(`${operation.id}.response`) },
      ...Object.fromEntries(text),
    },
    ...(followedBy && {
      links: Object.fromEntries(
        followedBy.map((next) => [
          next,
          { operationId: next, parameters: { jobId: "$response.body#/jobId" } },
        ]),
      ),
    }),
    ...labelExtensions(label),
    "x-status": labelExtensions(statusLabelOf(operation.response)),
  };
}

const TOKEN_PROBLEMS: readonly ProblemCode[] = [
  "malformed_request",
  "credential_invalid",
  "rate_limited",
  "overloaded",
  "internal_error",
];

function describeProblems(operation: Operation, isAlias: boolean): JsonObject {
  const isOAuth = operation.auth === "client";
  const shared = isOAuth ? TOKEN_PROBLEMS : COMMON_PROBLEMS;
  const ofWrites = takesIdempotencyKey(operation) ? WRITE_PROBLEMS : [];
  const own = [...shared, ...ofWrites, ...(operation.problems ?? [])];
  const statusesOf = (codes: readonly ProblemCode[]) => new Set(codes.map((code) => PROBLEMS[code].status));
  const [ownStatuses, httpStatuses] = [statusesOf(own), statusesOf(HTTP_PROBLEMS)];
  const responses: JsonObject = {};
  for (const status of new Set([...ownStatuses, ...httpStatuses])) {
    const isOwn = ownStatuses.has(status);
    const isOAuthError = isOAuth && isOwn && status < 500;
    const isProblem = !isOAuthError || httpStatuses.has(status);
    const named = [...new Set([...own, ...HTTP_PROBLEMS])].filter((code) => PROBLEMS[code].status === status);
    responses[status] = {
      description: isOAuthError ? "An error of RFC 6749 §5.2" : named.join(", "),
      headers: isOwn
        ? responseHeaders(operation, isAlias, PROBLEM_HEADERS[status])
        : describeHeaders(REQUEST_ID),
      content: {
        ...(isOAuthError && {
          "application/json": { schema: toReference(oauthError), ...referToExample(`${operation.id}.error`) },
        }),
        ...(isProblem && {
          "application/problem+json": {
            schema: toReference(problem),
            ...referToExample(
              `problem.${isOAuthError ? named.find((code) => HTTP_PROBLEMS.includes(code)) : named[0]}`,
            ),
          },
        }),
      },
      ...labelExtensions(assumed(status === PROBLEMS.rate_limited.status ? "limits" : "errors")),
    };
  }
  return responses;
}
