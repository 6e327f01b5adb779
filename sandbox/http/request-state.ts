import type { Middleware, ParameterizedContext } from "koa";
import type { CapturedBody } from "../engine/request-log/captured-body.ts";
import type { RequestTrace } from "../engine/request-log/request-log.ts";
import type { ParsedBodies } from "../handlers/handler.ts";
import type { Caller } from "../store/credentials.ts";
import type { FinishedResponse, IdempotencyScope } from "../store/stored-responses.ts";

export type ParsedRequestBody =
  | { readonly kind: "none"; readonly content: null }
  | {
      [Kind in keyof ParsedBodies]: { readonly kind: Kind; readonly content: ParsedBodies[Kind] };
    }[keyof ParsedBodies];

export interface RequestState {
  readonly trace: RequestTrace;
  caller: Caller | null;
  /** Null where the request has no Idempotency-Key, or its operation takes none. */
  idempotency: IdempotencyScope | null;
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>> | null;
  body: ParsedRequestBody;
  replay: FinishedResponse | null;
  isTruncated: boolean;
  requestBody: CapturedBody | null;
  responseBody: CapturedBody | null;
}

export type RouteContext = ParameterizedContext<RequestState>;
export type Step = Middleware<RequestState>;

export const createState = (): RequestState => ({
  trace: { operation: null, route: null, problem: null, fault: null, varied: [], events: [] },
  caller: null,
  idempotency: null,
  params: {},
  query: null,
  body: { kind: "none", content: null },
  replay: null,
  isTruncated: false,
  requestBody: null,
  responseBody: null,
});
