import { Buffer } from "node:buffer";
import type { Readable } from "node:stream";
import type { RawRequest } from "../../../client/client.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import type { Context } from "../../context.ts";
import { openInput, readInput } from "../../files/input-file.ts";
import { type BodyField, buildRecord, readTypedValue } from "../../framework/body-fields.ts";
import type { BaseInvocation } from "../../framework/command.ts";
import { METHODS } from "../../framework/http-methods.ts";
import { mergeHeaders, type RequestHeader } from "./headers.ts";

/** What the command line says of a request. */
export interface RequestArguments {
  readonly method: string;
  readonly path: string;
  readonly header?: readonly RequestHeader[] | undefined;
  readonly rawField?: readonly BodyField[] | undefined;
  readonly field?: readonly BodyField[] | undefined;
  readonly input?: string | undefined;
}

/** Bytes that can be read more than once. */
interface ReplayableBody {
  readonly size: number;
  stream(): Readable | string;
  chunks(): AsyncIterable<Uint8Array>;
  close?(): Promise<void>;
  /** The name of a file. */
  readonly displayName?: string;
}

/** A request, and what it carries. */
export interface BuiltRequest {
  readonly request: RawRequest;
  readonly body: ReplayableBody | undefined;
}

/** Fields are the query of a GET, and otherwise a JSON body. */
export async function buildRequest(
  context: Context,
  wanted: RequestArguments,
  onEnd: BaseInvocation["onEnd"],
): Promise<BuiltRequest> {
  const method = parseMethod(wanted.method);
  const path = parsePath(wanted.path);
  const { "content-type": contentType, ...headers } = mergeHeaders(wanted.header ?? []);
  const fields = await readFieldValues(context, wanted);
  if (wanted.input !== undefined && (method === "GET" || fields.length > 0)) throw bodyConflictError(method);
  if (method === "GET")
    return { request: { method, path: addQuery(path, fields), headers }, body: undefined };

  const body: ReplayableBody | undefined =
    wanted.input === undefined ? jsonBody(fields) : await openInput(context, wanted.input);
  if (body?.close) onEnd(body.close);
  const type = contentType ?? "application/json";
  return {
    request: {
      method,
      path,
      headers: body || contentType === undefined ? headers : { ...headers, "content-type": contentType },
      ...(body && {
        source: body.displayName,
        body: () => ({
          headers: { "content-type": type, "content-length": String(body.size) },
          body: body.stream(),
        }),
      }),
    },
    body,
  };
}

type FieldValue = Awaited<ReturnType<typeof readTypedValue>>;

async function readFieldValues(
  context: Context,
  { rawField = [], field = [] }: RequestArguments,
): Promise<(readonly [BodyField, FieldValue])[]> {
  const typed = await Promise.all(
    field.map(async (each) => [each, await readTypedValue(each, (path) => readText(context, path))] as const),
  );
  return [...rawField.map((each) => [each, each.value] as const), ...typed];
}

const readText = async (context: Context, path: string): Promise<string> =>
  (await readInput(context, path)).toString("utf8");

function jsonBody(fields: readonly (readonly [BodyField, FieldValue])[]): ReplayableBody | undefined {
  if (fields.length === 0) return undefined;
  const text = JSON.stringify(buildRecord(fields));
  return {
    size: Buffer.byteLength(text),
    stream: () => text,
    async *chunks() {
      yield Buffer.from(text);
    },
  };
}

/** A key stands in a query as it was written, and as often. */
function addQuery(path: string, fields: readonly (readonly [BodyField, FieldValue])[]): string {
  if (fields.length === 0) return path;
  const query = new URLSearchParams(fields.map(([{ key }, value]): [string, string] => [key, String(value)]));
  return `${path}${path.includes("?") ? "&" : "?"}${query}`;
}

function parseMethod(text: string): RawRequest["method"] {
  const method = METHODS.find((name) => name === text.toUpperCase());
  if (method) return method;
  throw new ClaimsError("usage", "unknown_method", `"${text}" is no method`, {
    hint: `use one of ${METHODS.join(", ")}`,
  });
}

function parsePath(path: string): string {
  if (path.startsWith("/") && !path.startsWith("//")) return path;
  throw new ClaimsError("usage", "not_a_path", `"${path}" is no path on the service`, {
    hint: "start it with /, and name the service with --base-url",
  });
}

const bodyConflictError = (method: string): ClaimsError =>
  method === "GET"
    ? new ClaimsError("usage", "no_body", "a GET has no body", {
        hint: "leave out --input; -f makes a query",
      })
    : new ClaimsError("usage", "conflicting_bodies", "--input and fields are two bodies", {
        hint: "give the body by --input, or its fields by -f and -F",
      });
