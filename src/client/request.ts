import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import type { Static, TSchema } from "typebox";
import { submit } from "../contract/operations/diligence.ts";
import { type Operation, type ParamsOf, takesIdempotencyKey } from "../contract/operations/operation.ts";
import { usageError } from "../domain/errors.ts";
import type { HttpRequest } from "./http/http-message.ts";
import type { MultipartInput } from "./http/multipart.ts";

export interface OperationInput {
  readonly params?: Readonly<Record<string, string>>;
  /** Leaves out undefined parameters. */
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  readonly json?: object;
  readonly multipart?: MultipartInput;
  readonly accept?: string;
  /** Use the compatibility path (interface §4). */
  readonly legacy?: boolean | undefined;
  /** Default: a random key for a write that takes one. 1 to 255 visible ASCII characters. */
  readonly idempotencyKey?: string | undefined;
}

export type InputOf<O extends Operation> = keyof (ParamsOf<O> & JsonOf<O>) extends never
  ? [input?: Omit<OperationInput, "params" | "json">]
  : [
      input: Omit<OperationInput, "params" | "json"> &
        (keyof ParamsOf<O> extends never ? unknown : { readonly params: ParamsOf<O> }) &
        JsonOf<O>,
    ];

type JsonOf<O extends Operation> = O extends {
  readonly request: { readonly kind: "json"; readonly schema: infer Schema extends TSchema };
}
  ? { readonly json: Static<Schema> }
  : unknown;

/** A request by method and path, also for routes outside the operation table. */
export interface RawRequest {
  readonly method: HttpRequest["method"];
  /** Path and query, relative to the base URL. */
  readonly path: string;
  /** Whether logs and errors leave out the query: a user can have put a secret into it. */
  readonly isQueryHidden?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: a random key for a write without one in its headers. */
  readonly idempotencyKey?: string | undefined;
  /** Whether the service may receive it twice. Default: true for GET only. */
  readonly isRepeatable?: boolean;
  /** Whether it submits an entry file: its 409 can mean that another copy of it is being executed. */
  readonly isSubmission?: boolean;
  /** Whether a response outside 2xx is no error, unless it is 401 or 429. */
  readonly acceptsErrors?: boolean;
  /** Whether its response is read as it arrives, without a limit for the whole of it. */
  readonly isStream?: boolean;
  readonly body?: (() => { headers: Readonly<Record<string, string>>; body: Readable | string }) | undefined;
  /** How the user named the file of the body. */
  readonly source?: string | undefined;
}

/** As logs and errors show it: `GET https://api.example.com/v1/clients`. */
export const formatRequestLine = ({ method, path, isQueryHidden }: RawRequest, baseUrl = ""): string =>
  `${method} ${baseUrl}${isQueryHidden ? path.replace(/\?.*$/s, "?…") : path}`;

export const isSafeToRetry = ({ method, isRepeatable = method === "GET" }: RawRequest): boolean =>
  isRepeatable;

export function buildRequest(operation: Operation, input: OperationInput): RawRequest {
  const { params = {}, query = {}, json, accept = "application/json", legacy, idempotencyKey } = input;
  const template = (legacy ? operation.legacyPath : undefined) ?? operation.path;
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(params[name] ?? ""));
  const parameters = Object.entries(query).filter(([, value]) => value !== undefined) as [string, string][];
  return {
    method: operation.method,
    path: parameters.length === 0 ? path : `${path}?${new URLSearchParams(parameters)}`,
    headers: { accept, ...(takesIdempotencyKey(operation) && idempotencyHeader(idempotencyKey)) },
    isSubmission: isSubmissionPath(template),
    ...(json && {
      body: () => ({ headers: { "content-type": "application/json" }, body: JSON.stringify(json) }),
    }),
  };
}

/** Writes header names in lower case, and adds an idempotency key to a write without one. */
export function addIdempotencyKey(request: RawRequest): RawRequest {
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  const key = request.method === "GET" ? {} : idempotencyHeader(request.idempotencyKey);
  const isSubmission = request.method !== "GET" && isSubmissionPath(request.path);
  return { ...request, isSubmission, headers: { ...key, ...Object.fromEntries(headers) } };
}

const isSubmissionPath = (path: string): boolean => {
  const [withoutQuery = ""] = path.split("?");
  const paths: readonly string[] = [submit.path, submit.legacyPath];
  return paths.includes(withoutQuery.replace(/\/$/, ""));
};

const idempotencyHeader = (key: string = randomUUID()) => ({ "idempotency-key": key });

/** A dot segment, also percent-encoded, or an empty one leads to another route (RFC 3986 §5.2.4). */
function encodeSegment(value: string): string {
  if (!/^\.{0,2}$/.test(value)) return encodeURIComponent(value.toWellFormed());
  throw usageError("invalid_id", `"${value}" is not a valid id`, {
    hint: "check whether a variable or a command that gives the id returns nothing",
  });
}
