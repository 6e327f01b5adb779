import { Buffer } from "node:buffer";
import type { Readable } from "node:stream";
import type { RawRequest } from "../../../client/client.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import type { BaseInvocation } from "../../command.ts";
import type { Context } from "../../context.ts";
import { openInput, readInput } from "../../input-file.ts";
import { type Field, recordOf, typedValue } from "./fields.ts";
import { type Header, headersOf } from "./headers.ts";
import { METHODS } from "./methods.ts";

/** What the command line says of a request. */
export interface Wanted {
  readonly method: string;
  readonly path: string;
  readonly header?: readonly Header[] | undefined;
  readonly rawField?: readonly Field[] | undefined;
  readonly field?: readonly Field[] | undefined;
  readonly input?: string | undefined;
}

/** Bytes that can be read more than once. */
interface Body {
  readonly size: number;
  stream(): Readable | string;
  pieces(): AsyncIterable<Uint8Array>;
  close?(): Promise<void>;
  /** The name of a file. */
  readonly shownAs?: string;
}

/** A request, and what it carries. */
export interface WantedRequest {
  readonly request: RawRequest;
  readonly body: Body | undefined;
}

/** Fields are the query of a GET, and otherwise a JSON body. */
export async function requestOf(
  context: Context,
  wanted: Wanted,
  onEnd: BaseInvocation["onEnd"],
): Promise<WantedRequest> {
  const method = checkedMethod(wanted.method);
  const path = checkedPath(wanted.path);
  const { "content-type": contentType, ...headers } = headersOf(wanted.header ?? []);
  const fields = await valuesOf(context, wanted);
  if (wanted.input !== undefined && (method === "GET" || fields.length > 0)) throw twoBodies(method);
  if (method === "GET")
    return { request: { method, path: withQuery(path, fields), headers }, body: undefined };

  const body: Body | undefined =
    wanted.input === undefined ? jsonBody(fields) : await openInput(context, wanted.input);
  if (body?.close) onEnd(body.close);
  const type = contentType ?? "application/json";
  return {
    request: {
      method,
      path,
      headers: body || contentType === undefined ? headers : { ...headers, "content-type": contentType },
      ...(body && {
        source: body.shownAs,
        body: () => ({
          headers: { "content-type": type, "content-length": String(body.size) },
          body: body.stream(),
        }),
      }),
    },
    body,
  };
}

type Value = Awaited<ReturnType<typeof typedValue>>;

async function valuesOf(
  context: Context,
  { rawField = [], field = [] }: Wanted,
): Promise<(readonly [Field, Value])[]> {
  const typed = await Promise.all(
    field.map(async (each) => [each, await typedValue(each, (path) => textOf(context, path))] as const),
  );
  return [...rawField.map((each) => [each, each.value] as const), ...typed];
}

const textOf = async (context: Context, path: string): Promise<string> =>
  (await readInput(context, path)).toString("utf8");

function jsonBody(fields: readonly (readonly [Field, Value])[]): Body | undefined {
  if (fields.length === 0) return undefined;
  const text = JSON.stringify(recordOf(fields));
  return {
    size: Buffer.byteLength(text),
    stream: () => text,
    async *pieces() {
      yield Buffer.from(text);
    },
  };
}

/** A key stands in a query as it was written, and as often. */
function withQuery(path: string, fields: readonly (readonly [Field, Value])[]): string {
  if (fields.length === 0) return path;
  const query = new URLSearchParams(fields.map(([{ key }, value]): [string, string] => [key, String(value)]));
  return `${path}${path.includes("?") ? "&" : "?"}${query}`;
}

function checkedMethod(text: string): RawRequest["method"] {
  const method = METHODS.find((name) => name === text.toUpperCase());
  if (method) return method;
  throw new ClaimsError("usage", "unknown_method", `"${text}" is no method`, {
    hint: `use one of ${METHODS.join(", ")}`,
  });
}

function checkedPath(path: string): string {
  if (path.startsWith("/") && !path.startsWith("//")) return path;
  throw new ClaimsError("usage", "not_a_path", `"${path}" is no path on the service`, {
    hint: "start it with /, and name the service with --base-url",
  });
}

const twoBodies = (method: string): ClaimsError =>
  method === "GET"
    ? new ClaimsError("usage", "no_body", "a GET has no body", {
        hint: "leave out --input; -f makes a query",
      })
    : new ClaimsError("usage", "two_bodies", "--input and fields are two bodies", {
        hint: "give the body by --input, or its fields by -f and -F",
      });
