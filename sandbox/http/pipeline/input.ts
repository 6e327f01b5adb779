import type { TObject } from "typebox";
import * as Type from "typebox";
import type { Mapping } from "../../../src/contract/mapping/mapping.ts";
import { readBody as readMappedBody, readQuery } from "../../../src/contract/mapping/requests.ts";
import { MEDIA_TYPE, type Operation, type RequestBody } from "../../../src/contract/operations/operation.ts";
import { PAGE_LIMIT } from "../../../src/contract/schemas.ts";
import { isRecord } from "../../../src/domain/json.ts";
import type { Engine } from "../../engine/engine.ts";
import { parseBody } from "../../wire/parse-body.ts";
import { parseQuery } from "../../wire/parse-query.ts";
import { type ProblemError, problemError, validationError } from "../../wire/problem-error.ts";
import { readChunks } from "../../wire/read-body.ts";
import { requireStrictJson } from "../../wire/strict-json.ts";
import { requireNoLoneSurrogates, requireValid, toParameter, toPointer } from "../../wire/validate.ts";
import { captureRequestBody } from "../request-recorder.ts";
import type { RouteContext, Step } from "../request-state.ts";
import { parseMultipartBody } from "./multipart.ts";

export const validateParams =
  (schema: TObject): Step =>
  async (ctx, next) => {
    await requireValid(ctx.params, schema, toParameter);
    return next();
  };

const NO_QUERY = Type.Object({}, { additionalProperties: false });

/**
 * Validates the query. A row without one refuses any parameter, because a filter without effect would mislead; the token
 * route ignores them (RFC 6749 §3.2).
 */
export function validateQuery(operation: Operation, { service: { mapping } }: Engine): Step {
  const { query, auth } = operation;
  if (query)
    return async ({ querystring, state }, next) => {
      state.query = mapping
        ? await parseMappedQuery(mapping, operation, query, querystring)
        : await parseQuery(querystring, query);
      return next();
    };
  return ({ querystring }, next) =>
    querystring === "" || auth === "client" ? next() : parseQuery(querystring, NO_QUERY).then(next);
}

/** The query of a service with a mapping. A page with a number begins after the rows of the pages before it. */
async function parseMappedQuery(mapping: Mapping, operation: Operation, query: TObject, querystring: string) {
  const given = new URLSearchParams(querystring);
  const read = readQuery(mapping, operation, given, PAGE_LIMIT.default);
  const { parameters, offset, wrongParameter, isWhole } = read;
  const parsed = await parseQuery(parameters.toString(), query);
  if (wrongParameter !== undefined)
    throw validationError([
      {
        parameter: wrongParameter,
        code: "malformed",
        detail: `${wrongParameter}: not a page of this list.`,
      },
    ]);
  return {
    ...parsed,
    ...(isWhole && { limit: MAX_ROWS_WITHOUT_PAGES }),
    ...(offset !== undefined && { offset }),
  };
}

/** Of a list that has no pages. */
const MAX_ROWS_WITHOUT_PAGES = 1_000_000;

const parseJsonOrForm = parseBody(captureRequestBody);

/** Reads and validates the body of the row's kind. */
export function readBody(operation: Operation, request: RequestBody, engine: Engine): Step[] {
  const mediaType = MEDIA_TYPE[request.kind];
  if (request.kind === "multipart") return [requireBody(mediaType), parseMultipartBody(request, engine)];
  const accept = request.kind === "form" ? acceptForm : acceptJson(operation, request, engine);
  return [requireBody(mediaType), parseJsonOrForm, requireText(mediaType), accept];
}

const requireBody =
  (mediaType: string): Step =>
  (ctx, next) => {
    if (isEmptyBody(ctx)) throw noBodyError(mediaType);
    if (ctx.is(mediaType)) return next();
    const sent = ctx.get("Content-Type") || "nothing";
    throw problemError("unsupported_media_type", `The body must be ${mediaType}; the request says ${sent}.`);
  };

/** Whether the headers announce no body (RFC 9112 §6.3). */
const isEmptyBody = ({ headers, request }: RouteContext): boolean =>
  headers["transfer-encoding"] === undefined && (request.length ?? 0) === 0;

const requireText =
  (mediaType: string): Step =>
  ({ request }, next) => {
    if (request.rawBody) return next();
    throw noBodyError(mediaType);
  };

const noBodyError = (mediaType: string): ProblemError =>
  problemError("malformed_request", `The request has no body; it must be ${mediaType}.`);

/** koa-body parses a form into the first value of each name. */
const acceptForm: Step = ({ request, state }, next) => {
  const { body, rawBody = "" } = request;
  const repeated = findRepeatedName(new URLSearchParams(rawBody));
  state.body = { kind: "form", content: { fields: body as Readonly<Record<string, string>>, repeated } };
  return next();
};

function findRepeatedName(form: URLSearchParams): string | null {
  const names = new Set<string>();
  for (const name of form.keys()) {
    if (names.has(name)) return name;
    names.add(name);
  }
  return null;
}

function acceptJson(operation: Operation, { schema }: RequestBody, { service: { mapping } }: Engine): Step {
  return async ({ request, state }, next) => {
    const { body, rawBody = "" } = request;
    requireStrictJson(body, rawBody);
    const content = mapping ? readMappedBody(mapping, operation, body) : body;
    await requireValid(content, schema, toPointer);
    requireNoLoneSurrogates(content, toPointer);
    state.body = { kind: "json", content };
    return next();
  };
}

/** An operation without a body accepts none, or what many clients send for none: `{}`. */
export const refuseBody: readonly Step[] = [
  async (ctx, next) => {
    if (!isEmptyBody(ctx) && !ctx.is("application/json") && (await hasBytes(ctx))) {
      const detail = "This operation takes no body; send none, or application/json with {}.";
      throw problemError("unsupported_media_type", detail);
    }
    return next();
  },
  parseJsonOrForm,
  ({ request: { body, rawBody } }, next) => {
    if (!rawBody) return next();
    requireStrictJson(body, rawBody);
    if (isRecord(body) && Object.keys(body).length === 0) return next();
    const detail = "This operation takes no body.";
    throw validationError([{ pointer: "", code: "body_not_empty", detail }]);
  },
];

async function hasBytes(ctx: RouteContext): Promise<boolean> {
  for await (const chunk of readChunks(ctx.req, captureRequestBody(ctx))) if (chunk.length > 0) return true;
  return false;
}

/** A UUID that a caller may write in upper case (RFC 9562 §4). */
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Writes the UUIDs that name records as the store has them: those of the path, and every field `…Id` or `…Ids`. */
export const lowerCaseIds: Step = ({ state }, next) => {
  const { params, query, body } = state;
  state.params = lowerCaseFields(params);
  if (query) state.query = lowerCaseFields(query);
  if (body.kind === "json") state.body = { kind: "json", content: lowerCaseFields(body.content as Fields) };
  return next();
};

type Fields = Readonly<Record<string, unknown>>;

/** Returns the same object if nothing changes, as for nearly every request. */
function lowerCaseFields<F extends Fields>(fields: F): F {
  let result = fields;
  for (const name of Object.keys(fields)) {
    if (!name.endsWith("Id") && !name.endsWith("Ids")) continue;
    const value = fields[name];
    const lower = Array.isArray(value) ? value.map(lowerCase) : lowerCase(value);
    if (lower !== value) result = { ...result, [name]: lower };
  }
  return result;
}

const lowerCase = (value: unknown): unknown =>
  typeof value === "string" && UUID.test(value) ? value.toLowerCase() : value;
