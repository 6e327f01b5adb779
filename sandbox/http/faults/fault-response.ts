import type { Context } from "koa";
import type { Operation } from "../../../src/contract/operation.ts";
import { parseDuration } from "../../../src/domain/duration.ts";
import type { Fault } from "../../engine/faults/fault.ts";
import type { Clock } from "../../engine/scheduler/clock.ts";
import { JSON_TYPE, PROBLEM_TYPE } from "../../wire/content-types.ts";
import { ProblemError } from "../../wire/problem-error.ts";
import { respondEarly } from "../early-response.ts";
import { toProblem } from "../error-response.ts";
import { isCorrupted } from "./corrupted-response.ts";
import { FAULT_HEADER } from "./fault-header.ts";

/** Answers with the status of a fault, in the shape that the route has for refusals. No part of the contract. */
export async function sendFaultResponse(
  ctx: Context,
  { source, description: words, then: { retryAfter } }: Fault,
  status: number,
  { auth }: Operation,
  clock: Clock,
): Promise<void> {
  const kind = { status, code: "fault_injected", title: "The sandbox was told to fail" };
  const refused = new ProblemError(kind, `The sandbox was told to fail here: ${words}.`);
  ctx.status = status;
  ctx.set(FAULT_HEADER, source);
  if (retryAfter !== undefined) setRetryAfter(ctx, retryAfter, clock);
  if (auth === "client") {
    ctx.set({ "Content-Type": JSON_TYPE, "Cache-Control": "no-store" });
    ctx.body = JSON.stringify({ error: oauthError(status), error_description: refused.message });
  } else {
    ctx.set("Content-Type", PROBLEM_TYPE);
    ctx.body = JSON.stringify(toProblem(refused, ctx.response.get("X-Request-Id")));
  }
  if (!isCorrupted(ctx)) await respondEarly(ctx);
}

/** The nearest that OAuth has a name for (RFC 6749 §4.1.2.1, §5.2). */
const oauthError = (status: number): string =>
  status === 429 || status >= 500 ? "temporarily_unavailable" : "invalid_request";

/** A date is one of the sandbox's clock, and so is what it is to be held against. */
function setRetryAfter(ctx: Context, retryAfter: number | string, clock: Clock): void {
  const duration = typeof retryAfter === "number" ? null : parseDuration(retryAfter);
  const httpDate = (time: number): string => new Date(time).toUTCString();
  if (typeof retryAfter === "string") ctx.set("Date", httpDate(clock.now()));
  ctx.set("Retry-After", duration === null ? String(retryAfter) : httpDate(clock.now() + duration));
}
