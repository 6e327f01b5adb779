import type { Context } from "koa";

/** What the layers behind a request note of it, for whoever tells its story afterwards. */
export interface RequestTrace {
  /** The id of the operation that it was routed to; null where it was for none. */
  operation: string | null;
  /** The template of the path that was asked: canonical, compatibility or alias; null where there is none. */
  route: string | null;
  /** What of the request or its answer was made to fail, in words; null where nothing was. */
  fault: string | null;
  /** What of the assumed part of the contract the answer has its own way: `dimension=variant`. */
  readonly varied: string[];
  /** The ids of the events that were emitted while it was handled. */
  readonly events: string[];
}

/** The trace of a request; begun with the first one who asks. */
export function getTrace(ctx: Context): RequestTrace {
  ctx.state.trace ??= {
    operation: null,
    route: null,
    fault: null,
    varied: [],
    events: [],
  } satisfies RequestTrace;
  return ctx.state.trace as RequestTrace;
}
