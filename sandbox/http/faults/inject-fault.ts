import { once } from "node:events";
import { Readable } from "node:stream";
import { ALIAS_HEADERS } from "../../../src/contract/aliases.ts";
import type { Operation } from "../../../src/contract/operations/operation.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Fault } from "../../engine/faults/faults.ts";
import { JSON_TYPE, PROBLEM_TYPE } from "../../wire/content-types.ts";
import { delayResponse } from "../../wire/delay-response.ts";
import { ProblemError } from "../../wire/problem-error.ts";
import { respondEarly } from "../early-response.ts";
import { renderProblem } from "../error-response.ts";
import type { RouteContext, Step } from "../request-state.ts";

/** In a response, the source of its fault. A real service never sends it. */
const FAULT_HEADER = "X-Sandbox-Fault";

/** The headers that every response has, whatever the work set. */
const KEPT_HEADERS = ["X-Request-Id", ...Object.values(ALIAS_HEADERS)].map((name) => name.toLowerCase());

/** Makes a request fail where a rule asks for it (product.md §5, Faults). */
export const injectFault =
  ({ id, auth }: Operation, { faults }: Engine): Step =>
  async (ctx, next) => {
    const fault = faults.apply({ operation: id, method: ctx.method });
    if (!fault) return next();
    ctx.state.trace.fault = fault.description;
    const isAfter = fault.phase === "after";
    // Before the work, nothing of the request is read, not even its credential.
    const refused = isAfter ? await captureProblem(next) : null;
    if (!(await delayResponse(ctx.res, fault.delayMs))) return detach(ctx);
    const { status, reset, hang, truncate = false } = fault.then;
    const isTerminal = Boolean(status || reset || hang);
    if (isAfter && isTerminal) dropResponse(ctx);
    ctx.state.isTruncated = truncate && (status !== undefined || (isAfter && !isTerminal));
    if (status !== undefined) return sendFaultResponse(ctx, fault, status, auth === "client");
    if (isTerminal) return breakConnection(ctx, fault, faults);
    if (refused) throw refused;
    return isAfter ? undefined : next();
  };

/** A refusal is a response like any other; an unexpected error stays one. */
async function captureProblem(next: () => Promise<unknown>): Promise<ProblemError | null> {
  try {
    await next();
    return null;
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}

/** Responds with the status of a fault, in the shape that the route has for errors. No part of the contract. */
async function sendFaultResponse(
  ctx: RouteContext,
  { source, description, then: { retryAfter } }: Fault,
  status: number,
  isOAuth: boolean,
): Promise<void> {
  // The nearest that OAuth has a name for (RFC 6749 §4.1.2.1, §5.2).
  const oauthCode = status === 429 || status >= 500 ? "temporarily_unavailable" : "invalid_request";
  const kind = {
    status,
    code: isOAuth ? oauthCode : "fault_injected",
    title: "The sandbox injected a fault",
  };
  const problem = new ProblemError(kind, `The sandbox injected a fault: ${description}.`, { isOAuth });
  ctx.status = status;
  ctx.set(FAULT_HEADER, source);
  if (retryAfter !== undefined) ctx.set("Retry-After", String(retryAfter));
  ctx.set("Content-Type", isOAuth ? JSON_TYPE : PROBLEM_TYPE);
  if (isOAuth) ctx.set("Cache-Control", "no-store");
  ctx.body = JSON.stringify(renderProblem(problem, ctx.response.get("X-Request-Id")));
  if (!ctx.state.isTruncated) await respondEarly(ctx);
}

/** Resets the connection, or does not respond before a reset of the sandbox. */
async function breakConnection(
  ctx: RouteContext,
  { then: { reset } }: Fault,
  { resets }: Engine["faults"],
): Promise<void> {
  const { req, res } = ctx;
  detach(ctx);
  if (reset) {
    req.socket.resetAndDestroy();
    return;
  }
  req.resume();
  const end = () => void req.socket.destroy();
  resets.once("reset", end);
  if (!res.closed) await once(res, "close");
  resets.off("reset", end);
}

function detach(ctx: RouteContext): void {
  ctx.respond = false;
  if (ctx.body instanceof Readable) ctx.body.destroy();
}

function dropResponse(ctx: RouteContext): void {
  if (ctx.body instanceof Readable) ctx.body.destroy();
  for (const name of ctx.res.getHeaderNames()) if (!KEPT_HEADERS.includes(name)) ctx.remove(name);
}
