import type { Static, TObject, TSchema } from "typebox";
import { assumed, type Behaviour, type SourcedBasis } from "../labels.ts";
import type { ProblemCode } from "../problems.ts";

/** How a request body is encoded. `multipart` carries text fields and one file. */
export type BodyKind = "json" | "form" | "multipart";

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
  readonly statusLabel?: SourcedBasis;
  readonly label: SourcedBasis;
  readonly schema: TSchema;
  /** Media types besides `application/json` that the same response is available in. */
  readonly alternativeTypes?: readonly string[];
  /** Header name → description. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The operations that take the `jobId` of this response. */
  readonly followedBy?: readonly string[];
}

/** One operation, as facts, for router, client, OpenAPI document and register. A path string occurs nowhere else. */
export interface Operation {
  /** `noun.verb`, unique. */
  readonly id: string;
  readonly summary: string;
  readonly method: "GET" | "POST" | "PUT";
  /** Canonical path with `{placeholders}` (interface §9.1). */
  readonly path: string;
  /** The compatibility path, which also takes X-API-Key (interface §4, §5.2). */
  readonly legacyPath?: string;
  /** Of the path, and of the method where {@link methodLabel} says nothing else. */
  readonly label: SourcedBasis;
  readonly methodLabel?: SourcedBasis;
  /** `client`: the OAuth client's id and secret. Every other operation takes a managed key or a token as Bearer. */
  readonly auth?: "client";
  /** Whether it exists in the sandbox alone, and refuses credentials of production (interface §5.5). */
  readonly sandboxOnly?: true;
  readonly params?: TObject;
  readonly request?: RequestBody;
  /** Query parameters: text and whole numbers only. */
  readonly query?: TObject;
  readonly response: SuccessResponse;
  /** The problems of this operation, besides those of every operation and of every write. */
  readonly problems?: readonly ProblemCode[];
  readonly behaviours: readonly Behaviour[];
}

/** Whether the interface shows the status of a response: it does for one operation. */
export const statusLabelOf = ({ statusLabel = assumed("successes") }: SuccessResponse): SourcedBasis =>
  statusLabel;

export const methodLabelOf = ({ label, methodLabel = label }: Operation): SourcedBasis => methodLabel;

/** Only infers the literal types of a row, so that ids, paths and schemas type the handlers and the client. */
export const defineOperation = <const O extends Operation>(row: O): O => row;

/** Every write except the token route takes an Idempotency-Key (product.md §5). */
export const takesIdempotencyKey = ({ method, auth }: Operation): boolean =>
  method !== "GET" && auth !== "client";

/** `"/v1/x/{a}/y/{b}"` → `"a" | "b"` */
type PathPlaceholder<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathPlaceholder<Rest>
  : never;

export type PathParams<Path extends string> = { readonly [Name in PathPlaceholder<Path>]: string };

export type ParamsOf<O extends Operation> = PathParams<O["path"]>;

export type ResponseOf<O extends Operation> = Static<O["response"]["schema"]>;
