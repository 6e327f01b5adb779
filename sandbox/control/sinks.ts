import { parseDuration } from "../../src/domain/duration.ts";
import { pairRawHeaders } from "../../src/domain/webhooks/headers.ts";
import type { SinkBehaviour } from "../engine/sinks.ts";
import { JSON_TYPE } from "../wire/content-types.ts";
import { delayResponse } from "../wire/delay-response.ts";
import { readBytes } from "../wire/read-body.ts";
import { controlProblem } from "./problems.ts";
import type { ControlCall, ControlRoute } from "./route.ts";

/** The built-in receivers. A delivery has no token, so that a sink takes none. */
export const SINK_ROUTES: readonly ControlRoute[] = [
  {
    method: "ANY",
    path: "/sink/:name",
    summary: "a receiver that answers as its query says; without a token",
    isPublic: true,
    handle: receiveDelivery,
  },
  { method: "GET", path: "/sinks", summary: "the receivers that something was sent to", handle: listSinks },
  { method: "GET", path: "/sinks/:name", summary: "what one was sent", handle: listSinkRequests },
  { method: "DELETE", path: "/sinks/:name", summary: "forgets that", handle: clearSink },
];

function listSinks({ engine: { idle, sinks } }: ControlCall): Promise<object> {
  return idle.whenSettled(() => ({ data: sinks.list() }));
}

function listSinkRequests({ engine: { idle, sinks }, params }: ControlCall): Promise<object> {
  const name = parseSinkName(params);
  return idle.whenSettled(() => ({ data: sinks.entriesOf(name) }));
}

function clearSink({ engine, params }: ControlCall): object {
  engine.sinks.clear(parseSinkName(params));
  return { data: [] };
}

/** Answers as the query of the URL says, when it says so. */
async function receiveDelivery({ ctx, engine, params }: ControlCall): Promise<null> {
  const name = parseSinkName(params);
  const behaviour = parseBehaviour(new URLSearchParams(ctx.querystring));
  const { method, url: target, req } = ctx;
  const headers = pairRawHeaders(req.rawHeaders);
  const body = await readBytes(req);
  const { entry, status, answered } = engine.sinks.receive(
    name,
    { method, target, headers, body },
    behaviour,
  );
  if (!(await delayResponse(ctx.res, behaviour.delayMs))) return null;
  answered();
  ctx.status = status;
  // The sandbox's own time: an attempt keeps the headers of its answer, and they must not tell the wall's (promise 5).
  ctx.set("Date", new Date(engine.clock.now()).toUTCString());
  if (status >= 300 && behaviour.retryAfterSeconds !== null)
    ctx.set("Retry-After", String(behaviour.retryAfterSeconds));
  if (hasNoBody(status)) return null;
  ctx.set("Content-Type", JSON_TYPE);
  ctx.body = JSON.stringify({ sink: name, number: entry.number, verdict: entry.verdict });
  return null;
}

/** RFC 9110 §15.3.5, §15.4.5. */
const hasNoBody = (status: number): boolean => status === 204 || status === 205 || status === 304;

function parseSinkName({ name = "" }: ControlCall["params"]): string {
  if (/^[\w.-]{1,64}$/.test(name)) return name;
  throw controlProblem("validation_failed", "The name of a sink is 1 to 64 letters, digits, dots, - and _.");
}

/** Milliseconds: no attempt waits that long. */
const MAX_DELAY_MS = 60_000;

const BEHAVIOUR_SYNTAX =
  "status=200 to 599, fail=0 to 1 (how likely), times=N (only the first N requests), delay=a duration up to 60s, retryAfter=whole seconds";

/** How a sink behaves; each parameter at most once, and none that does nothing. */
function parseBehaviour(query: URLSearchParams): SinkBehaviour {
  const given = new Map(query);
  const take = <T>(name: string, read: (text: string) => T | null): T | null => {
    const text = given.get(name);
    given.delete(name);
    if (text === undefined) return null;
    const value = read(text);
    if (value !== null && query.getAll(name).length === 1) return value;
    throw controlProblem("validation_failed", `A sink takes ${BEHAVIOUR_SYNTAX}; this has ${name}=${text}.`);
  };
  const fail = take("fail", parseProbability);
  const times = take("times", integerParser(1, 1_000_000));
  const behaviour = {
    failProbability: fail,
    failCount: times,
    status: take("status", integerParser(200, 599)) ?? (fail === null && times === null ? 200 : 503),
    delayMs: take("delay", parseDelay) ?? 0,
    retryAfterSeconds: take("retryAfter", integerParser(0, 86_400)),
  };
  const [unknown] = given.keys();
  if (unknown === undefined) return behaviour;
  throw controlProblem("validation_failed", `A sink takes ${BEHAVIOUR_SYNTAX}; it knows no ${unknown}.`);
}

const parseProbability = (text: string): number | null =>
  /^(0(\.\d+)?|1(\.0+)?|\.\d+)$/.test(text) ? Number(text) : null;

const integerParser =
  (least: number, most: number) =>
  (text: string): number | null =>
    /^\d{1,7}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : null;

function parseDelay(text: string): number | null {
  const delay = parseDuration(text);
  return delay !== null && delay <= MAX_DELAY_MS ? delay : null;
}
