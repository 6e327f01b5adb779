import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import type { ApiResponse } from "../../../client/http/response.ts";
import { resolvePath } from "../../../client/paging.ts";
import type { RawRequest } from "../../../client/request.ts";
import { usageError } from "../../../domain/errors.ts";
import type { HeaderList } from "../../../domain/http-headers.ts";
import { checkSunset } from "../../connection/broker-aliases.ts";
import { confirmProductionWrite, openService } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { type InputFile, openInput, readInput } from "../../files/input-file.ts";
import { METHODS } from "../../framework/values.ts";
import { renderJsonArray } from "../../output/list.ts";
import type { Output } from "../../output/output.ts";
import { hashContent, type WriteDescription } from "../../write-log/describe-write.ts";
import { sendLogged } from "../../write-log/send-logged.ts";
import type { ApiInvocation } from "./api.ts";
import { type BodyField, buildRecord, type FieldValue } from "./body-fields.ts";
import { WholePages } from "./whole-pages.ts";

export async function runApi(context: Context, call: ApiInvocation): Promise<Output> {
  const { global, options } = call;
  const { request: typed, body } = await buildRequest(context, call);
  const isRead = typed.method === "GET";
  if (options.paginate && !isRead) {
    throw usageError("option_conflict", `--paginate needs GET, not ${typed.method}`, {
      hint: "leave it out, or use GET",
    });
  }
  const service = await openService(context, call);
  const { client, connection } = service;
  const request = { ...typed, path: resolvePath(connection.baseUrl, typed.path), isQueryHidden: true };
  await checkSunset(context, request.path);
  if (options.paginate) {
    const whole = new WholePages(context, request.path);
    const pages = renderPages(whole.read(client.pages(request)));
    const body = global.json === true ? renderJsonArray(pages, (page) => page.trimEnd()) : pages;
    return { kind: "stream", body: whole.requireAll(body) };
  }
  // As it is sent. A user can have put a secret into the query.
  const operation = `${request.method} ${request.path.replace(/\?.*$/s, "")}`;
  if (!isRead) await confirmProductionWrite(context, global, service, `send ${operation}`);
  const response = isRead
    ? await (global.out === undefined ? client.sendRaw(request) : client.streamRaw(request))
    : await sendLogged(
        context,
        service,
        await describeWrite(operation, request, body),
        { ...options, idempotencyKey: request.headers["idempotency-key"] },
        (idempotencyKey) => client.sendRaw({ ...request, idempotencyKey }),
      );
  return { kind: "stream", body: response.body instanceof Uint8Array ? [response.body] : response.body };
}

/** @param operation without the query, which only its content has */
async function describeWrite(
  operation: string,
  { method, path, source }: RawRequest,
  body: ReplayableBody | undefined,
): Promise<WriteDescription> {
  const fields = body ? { body: await body.hash() } : {};
  const content = hashContent({ operation: `${method} ${path}`, fields });
  return { operation, content, seller: null, file: source ?? null, bytes: body?.size ?? null, jobId: null };
}

/** Renders each page as one line: JSON has line feeds only between its tokens. */
async function* renderPages(pages: AsyncIterable<ApiResponse>) {
  for await (const page of pages) {
    const text = page.body.toString("utf8").trim();
    yield `${text.replace(/[\r\n]+/g, " ")}\n`;
  }
}

/** The fields of a command line have nothing to close. */
type ReplayableBody = Pick<InputFile, "size" | "hash"> &
  Partial<Pick<InputFile, "close">> & { stream(): Readable | string };

/** Fields become the query of a GET, otherwise a JSON body. */
async function buildRequest(context: Context, { args, options, onEnd }: ApiInvocation) {
  const { input } = options;
  const method = parseMethod(args.method);
  const path = parsePath(args.path);
  const { "content-type": contentType, ...headers } = joinHeaders(options.header ?? []);
  const fields = await readFieldValues(context, options);
  if (method === "GET") {
    if (input !== undefined)
      throw usageError("option_conflict", "a GET has no body", {
        hint: "leave out --input; -f makes a query",
      });
    return { request: { method, path: addQuery(path, fields), headers }, body: undefined };
  }
  if (input !== undefined && fields.length > 0) {
    throw usageError("option_conflict", "--input and fields exclude each other", {
      hint: "give the body with --input, or its fields with -f and -F",
    });
  }
  const body = input === undefined ? jsonBody(fields) : await openInput(context, input);
  if (body === undefined) {
    const all = contentType === undefined ? headers : { ...headers, "content-type": contentType };
    return { request: { method, path, headers: all }, body };
  }
  if (body.close) onEnd(body.close);
  const bodyHeaders = {
    "content-type": contentType ?? "application/json",
    "content-length": String(body.size),
  };
  const encode = () => ({ headers: bodyHeaders, body: body.stream() });
  return { request: { method, path, headers, source: input, body: encode }, body };
}

/** The values of `-f` and `-F`, with the text of the files that `@file` names. */
async function readFieldValues(
  context: Context,
  { rawField = [], typedField = [] }: ApiInvocation["options"],
) {
  const typed = typedField.map(async (each) => [each, await readTypedValue(context, each)] as const);
  return [...rawField.map((each) => [each, each.value] as const), ...(await Promise.all(typed))];
}

async function readTypedValue(context: Context, { key, value }: BodyField): Promise<FieldValue> {
  if (value.startsWith("@")) return (await readInput(context, value.slice(1))).toString("utf8");
  if (value === "null") return null;
  if (value === "true" || value === "false") return value === "true";
  if (!/^-?(0|[1-9]\d*)$/.test(value)) return value;
  if (Number.isSafeInteger(Number(value))) return Number(value);
  throw usageError("option_invalid", `-F ${key}: ${value} is too large for an exact JSON number`, {
    hint: `send it as text with -f ${key}=…, or the whole body with --input`,
  });
}

type Fields = Awaited<ReturnType<typeof readFieldValues>>;

function jsonBody(fields: Fields): ReplayableBody | undefined {
  if (fields.length === 0) return undefined;
  const text = JSON.stringify(buildRecord(fields));
  return {
    size: Buffer.byteLength(text),
    stream: () => text,
    hash: async () => createHash("sha256").update(text).digest("hex"),
  };
}

/** Adds the keys as you wrote them, as often as you wrote them. */
function addQuery(path: string, fields: Fields): string {
  if (fields.length === 0) return path;
  const query = new URLSearchParams(fields.map(([{ key }, value]): [string, string] => [key, String(value)]));
  return `${path}${path.includes("?") ? "&" : "?"}${query}`;
}

function parseMethod(text: string): RawRequest["method"] {
  const method = METHODS.find((name) => name === text.toUpperCase());
  if (method) return method;
  throw usageError("option_invalid", `unknown method "${text}"`, {
    option: "method",
    hint: `use one of ${METHODS.join(", ")}`,
  });
}

function parsePath(path: string): string {
  if (path.startsWith("/") && !path.startsWith("//")) return path;
  throw usageError("option_invalid", `"${path}" is not a path on the service`, {
    hint: "start it with /, and name the service with --base-url",
  });
}

/** Headers by name, in lower case. A repeated header becomes a list (RFC 9110 §5.3). */
const joinHeaders = (given: HeaderList): Record<string, string> =>
  given.length === 0 ? {} : Object.fromEntries(new Headers(given as [string, string][]));
