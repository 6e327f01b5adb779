import { Buffer } from "node:buffer";
import { once } from "node:events";
import { Readable } from "node:stream";
import type { Context } from "koa";
import type { Operation } from "../../../src/contract/operation.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Fault } from "../../engine/faults/fault.ts";
import { TokenEndpointError, ProblemError } from "../../refusal.ts";
import { heldBack } from "../../wire/held-back.ts";
import { drainEarly } from "../early-answer.ts";
import { traceOf } from "../trace.ts";
import { answerFaulty } from "./faulty-answer.ts";
import { FAULT_HEADER, readFaultHeader } from "./header.ts";
import { markSpoilt } from "./spoilt-answer.ts";

/** The beginning of a TLS record, where an answer should be. */
const GARBAGE = Buffer.from("160301000401000000", "hex");

/** Does what a request asks for, unless a rule, or the request itself, wants it to fail (product.md §5, Faults). */
export function withFault(
  ctx: Context,
  operation: Operation,
  engine: Engine,
  work: () => Promise<void>,
): Promise<void> {
  const { headers, method, path } = ctx;
  const asked = headers[HEADER_FIELD];
  if (engine.faults.isEmpty && asked === undefined) return work();
  const fault =
    asked === undefined
      ? engine.faults.take({ operation: operation.id, path, method, headers })
      : readFaultHeader(String(asked));
  if (!fault) return work();
  traceOf(ctx).fault = fault.words;
  const faulty = fault.phase === "before" ? beforeWork : afterWork;
  return faulty(ctx, fault, work, (ending) => end(ctx, ending, operation, engine));
}

const HEADER_FIELD = FAULT_HEADER.toLowerCase();

type End = (fault: Fault) => Promise<void>;

/** Nothing of the request is looked at, not even who sent it. */
async function beforeWork(ctx: Context, fault: Fault, work: () => Promise<void>, end: End): Promise<void> {
  if (!(await heldBack(ctx.res, fault.delay))) return leave(ctx);
  return isEnding(fault) ? end(fault) : work();
}

/** The work is done, and a refusal of it is an answer like any other. */
async function afterWork(ctx: Context, fault: Fault, work: () => Promise<void>, end: End): Promise<void> {
  const refused = await refusalOf(work);
  if (!(await heldBack(ctx.res, fault.delay))) return leave(ctx);
  if (isEnding(fault)) {
    dropAnswer(ctx);
    return end(fault);
  }
  markSpoilt(ctx, fault.then);
  if (refused) throw refused;
}

/** An error that nobody foresaw is no answer: it is told as ever. */
async function refusalOf(work: () => Promise<void>): Promise<unknown> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof ProblemError || error instanceof TokenEndpointError) return error;
    throw error;
  }
}

const isEnding = ({ then: { status, reset, hang, garbage } }: Fault): boolean =>
  Boolean(status || reset || hang || garbage);

/** In place of the work, or of its answer. */
async function end(ctx: Context, fault: Fault, operation: Operation, engine: Engine): Promise<void> {
  const { req, res } = ctx;
  const { status, reset, hang } = fault.then;
  if (status !== undefined) {
    markSpoilt(ctx, fault.then);
    return answerFaulty(ctx, fault, status, operation, engine.clock);
  }
  leave(ctx);
  if (reset) {
    req.socket.resetAndDestroy();
    return;
  }
  if (hang) {
    req.resume();
    if (!res.closed) await once(res, "close");
    return;
  }
  req.socket.write(GARBAGE);
  await drainEarly(ctx);
  req.socket.destroySoon();
}

/** Koa is not to answer. */
function leave(ctx: Context): void {
  ctx.respond = false;
  if (ctx.body instanceof Readable) ctx.body.destroy();
}

function dropAnswer(ctx: Context): void {
  if (ctx.body instanceof Readable) ctx.body.destroy();
  for (const name of ctx.res.getHeaderNames()) if (name !== "x-request-id") ctx.remove(name);
}
