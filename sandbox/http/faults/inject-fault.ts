import { Buffer } from "node:buffer";
import { once } from "node:events";
import { Readable } from "node:stream";
import type { Context } from "koa";
import type { Operation } from "../../../src/contract/operation.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Fault } from "../../engine/faults/fault.ts";
import { delayResponse } from "../../wire/delay-response.ts";
import { ProblemError, TokenEndpointError } from "../../wire/problem-error.ts";
import { drainRequest } from "../early-response.ts";
import { getTrace } from "../request-trace.ts";
import { markCorrupted } from "./corrupted-response.ts";
import { FAULT_HEADER, parseFaultHeader } from "./fault-header.ts";
import { sendFaultResponse } from "./fault-response.ts";

/** The beginning of a TLS record, where an answer should be. */
const GARBAGE = Buffer.from("160301000401000000", "hex");

/** Does what a request asks for, unless a rule, or the request itself, wants it to fail (product.md §5, Faults). */
export function injectFault(
  ctx: Context,
  operation: Operation,
  engine: Engine,
  work: () => Promise<void>,
): Promise<void> {
  const { headers, method, path } = ctx;
  const asked = headers[HEADER_NAME];
  if (engine.faults.isEmpty && asked === undefined) return work();
  const fault =
    asked === undefined
      ? engine.faults.apply({ operation: operation.id, path, method, headers })
      : parseFaultHeader(String(asked));
  if (!fault) return work();
  getTrace(ctx).fault = fault.description;
  const faulty = fault.phase === "before" ? failBefore : failAfter;
  return faulty(ctx, fault, work, (ending) => endWithFault(ctx, ending, operation, engine));
}

const HEADER_NAME = FAULT_HEADER.toLowerCase();

type EndWithFault = (fault: Fault) => Promise<void>;

/** Nothing of the request is looked at, not even who sent it. */
async function failBefore(
  ctx: Context,
  fault: Fault,
  work: () => Promise<void>,
  end: EndWithFault,
): Promise<void> {
  if (!(await delayResponse(ctx.res, fault.delayMs))) return detach(ctx);
  return isTerminal(fault) ? end(fault) : work();
}

/** The work is done, and a refusal of it is an answer like any other. */
async function failAfter(
  ctx: Context,
  fault: Fault,
  work: () => Promise<void>,
  end: EndWithFault,
): Promise<void> {
  const refused = await captureRefusal(work);
  if (!(await delayResponse(ctx.res, fault.delayMs))) return detach(ctx);
  if (isTerminal(fault)) {
    dropResponse(ctx);
    return end(fault);
  }
  markCorrupted(ctx, fault.then);
  if (refused) throw refused;
}

/** An error that nobody foresaw is no answer: it is told as ever. */
async function captureRefusal(work: () => Promise<void>): Promise<unknown> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof ProblemError || error instanceof TokenEndpointError) return error;
    throw error;
  }
}

const isTerminal = ({ then: { status, reset, hang, garbage } }: Fault): boolean =>
  Boolean(status || reset || hang || garbage);

/** In place of the work, or of its answer. */
async function endWithFault(ctx: Context, fault: Fault, operation: Operation, engine: Engine): Promise<void> {
  const { req, res } = ctx;
  const { status, reset, hang } = fault.then;
  if (status !== undefined) {
    markCorrupted(ctx, fault.then);
    return sendFaultResponse(ctx, fault, status, operation, engine.clock);
  }
  detach(ctx);
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
  await drainRequest(ctx);
  req.socket.destroySoon();
}

/** Koa is not to answer. */
function detach(ctx: Context): void {
  ctx.respond = false;
  if (ctx.body instanceof Readable) ctx.body.destroy();
}

function dropResponse(ctx: Context): void {
  if (ctx.body instanceof Readable) ctx.body.destroy();
  for (const name of ctx.res.getHeaderNames()) if (name !== "x-request-id") ctx.remove(name);
}
