import type { TObject, TSchema } from "typebox";
import { assumed, type Behaviour, type Label } from "./labels.ts";
import type { ProblemCode } from "./problems.ts";

/** How a request body travels. `multipart` carries text fields and one file. */
export type BodyKind = "json" | "form" | "multipart";

/** The Content-Type of a request body. */
export const MEDIA_TYPE = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data",
} as const satisfies Record<BodyKind, string>;

export interface RequestBody {
  readonly kind: BodyKind;
  readonly schema: TObject;
}

export interface SuccessResponse {
  readonly status: 200 | 201 | 202;
  /** Of the status, where the interface shows it. */
  readonly statusLabel?: Label;
  readonly label: Label;
  readonly schema: TSchema;
  /** Media types beside `application/json` in which the same answer can be had. */
  readonly alternativeTypes?: readonly string[];
  /** Header name → what it says. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * One operation of the service, as facts. Router, client, OpenAPI document and the register of assumptions all read
 * these rows; a path string stands nowhere else.
 */
export interface Operation {
  /** `noun.verb`, unique. */
  readonly id: string;
  readonly summary: string;
  readonly method: "GET" | "POST" | "PUT";
  /** Canonical path with `{placeholders}` (interface §9.1). */
  readonly path: string;
  /** The compatibility path that also takes X-API-Key (interface §4, §5.2). */
  readonly legacyPath?: string;
  readonly label: Label;
  /** `credential`: a managed key or a token as Bearer. `client`: the OAuth client's own id and secret. */
  readonly auth: "credential" | "client";
  /** What path parameters have to be where more than their presence is asked for. */
  readonly params?: TObject;
  readonly request?: RequestBody;
  /** Query parameters: text and whole numbers only. */
  readonly query?: TObject;
  readonly response: SuccessResponse;
  /** The problems this operation can answer with, beside those that every operation can. */
  readonly problems: readonly ProblemCode[];
  readonly behaviours: readonly Behaviour[];
}

/** Whether the interface shows the status of an answer: it does for one operation. */
export const statusLabelOf = ({ statusLabel = assumed("successes") }: SuccessResponse): Label => statusLabel;

/** Only infers the literal types of a row, so that ids, paths and schemas type the handlers and the client. */
export const defineOperation = <const O extends Operation>(row: O): O => row;

/** Every write but the token route takes an Idempotency-Key (product.md §5). */
export const takesIdempotencyKey = (row: Operation): boolean =>
  row.method !== "GET" && row.auth === "credential";

/** `"/v1/x/{a}/y/{b}"` → `"a" | "b"` */
type PathPlaceholder<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathPlaceholder<Rest>
  : never;

/** The parameters of a path, by name. */
export type PathParams<Path extends string> = { readonly [Name in PathPlaceholder<Path>]: string };

/** The path parameters of an operation, by name. */
export type ParamsOf<O extends Operation> = PathParams<O["path"]>;
