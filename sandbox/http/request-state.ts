import type { Middleware, ParameterizedContext } from "koa";
import type { LoggedProblem } from "../api/requests.ts";
import type { CapturedBody } from "../engine/request-log/captured-body.ts";
import type { ParsedBodies } from "../handlers/handler.ts";
import type { Caller } from "../store/credentials.ts";
import type { FinishedResponse, IdempotencyScope } from "../store/stored-responses.ts";

/** What the steps of a request note for the request log. */
export interface RequestTrace {
  /** The id of the operation; null where no route matched. */
  operation: string | null;
  /** The template of the matched path: canonical, compatibility or alias. */
  route: string | null;
  /** Why the request was refused. */
  problem: LoggedProblem | null;
  /** The injected fault in words. */
  fault: string | null;
  /** What grease varied in the response: `dimension=variant`. */
  readonly varied: string[];
  /** The ids of the events that the request emitted. */
  readonly events: string[];
}

/** A parsed body, by the kind that the row of its operation names. */
export type ParsedRequestBody =
  | { readonly kind: "none"; readonly content: null }
  | {
      [Kind in keyof ParsedBodies]: { readonly kind: Kind; readonly content: ParsedBodies[Kind] };
    }[keyof ParsedBodies];

/** What one step of the pipeline leaves for the next ones. */
export interface RequestState {
  readonly trace: RequestTrace;
  caller: Caller | null;
  /** Null where the request has no Idempotency-Key, or its operation takes none. */
  idempotency: IdempotencyScope | null;
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>> | null;
  body: ParsedRequestBody;
  /** What a repeat of the request gets. */
  replay: FinishedResponse | null;
  /** How a fault corrupts the response. */
  corruption: "truncate" | "badChunk" | null;
  /** The body of the request, as far as it was read. */
  requestBody: CapturedBody | null;
  /** The body of a streamed response. */
  responseBody: CapturedBody | null;
}

export type RouteContext = ParameterizedContext<RequestState>;
/** One step of the pipeline. */
export type Step = Middleware<RequestState>;

export const createState = (): RequestState => ({
  trace: { operation: null, route: null, problem: null, fault: null, varied: [], events: [] },
  caller: null,
  idempotency: null,
  params: {},
  query: null,
  body: { kind: "none", content: null },
  replay: null,
  corruption: null,
  requestBody: null,
  responseBody: null,
});
