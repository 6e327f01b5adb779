import type { Context } from "koa";
import type { ControlQuery } from "../../src/contract/control.ts";
import { parseDuration } from "../../src/domain/duration.ts";
import { pairRawHeaders } from "../../src/domain/http-headers.ts";
import type { Engine } from "../engine/engine.ts";
import { JSON_TYPE } from "../wire/content-types.ts";
import { delayResponse } from "../wire/delay-response.ts";
import { validationError } from "../wire/problem-error.ts";
import { readBytes } from "../wire/read-body.ts";

/** A longer delay than that outlasts every attempt. */
const MAX_DELAY_MS = 60_000;

export function parseSinkName(name: string): string {
  if (/^[\w.-]{1,64}$/.test(name)) return name;
  const detail = "The name of a sink has 1 to 64 letters, digits, dots, - and _.";
  throw validationError([{ parameter: "name", code: "malformed", detail }]);
}

export async function receiveAtSink(
  ctx: Context,
  engine: Engine,
  sink: string,
  { times, status: failStatus, delay = "0s", retryAfter }: ControlQuery<"ANY /sink/{name}">,
): Promise<null> {
  const name = parseSinkName(sink);
  const delayMs = parseDelay(delay);
  const { method, url: target, req } = ctx;
  const headers = pairRawHeaders(req.rawHeaders);
  const body = await readBytes(req);
  const { entry, status, markAnswered } = engine.sinks.receive(
    name,
    { method, target, headers, body },
    { failCount: times ?? null, status: failStatus ?? (times === undefined ? 200 : 503) },
  );
  if (!(await delayResponse(ctx.res, delayMs))) return null;
  markAnswered();
  ctx.status = status;
  // Sandbox time: an attempt keeps the headers of its response, and they must not depend on the wall clock (promise 5).
  ctx.set("Date", new Date(engine.clock.now()).toUTCString());
  if (status >= 300 && retryAfter !== undefined) ctx.set("Retry-After", String(retryAfter));
  if (hasNoBody(status)) return null;
  ctx.set("Content-Type", JSON_TYPE);
  ctx.body = JSON.stringify({ sink: name, number: entry.number, verdict: entry.verdict });
  return null;
}

/** RFC 9110 §15.3.5, §15.4.5. */
const hasNoBody = (status: number): boolean => status === 204 || status === 205 || status === 304;

function parseDelay(text: string): number {
  const delayMs = parseDuration(text);
  if (delayMs !== null && delayMs <= MAX_DELAY_MS) return delayMs;
  const detail = "delay: must be a duration up to 60s.";
  throw validationError([{ parameter: "delay", code: "out_of_range", detail }]);
}
