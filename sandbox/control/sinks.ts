import { parseDuration } from "../../src/domain/duration.ts";
import { pairRawHeaders } from "../../src/domain/webhooks/headers.ts";
import type { SinkBehaviour } from "../engine/sink.ts";
import { JSON_TYPE } from "../wire/content-types.ts";
import { heldBack } from "../wire/held-back.ts";
import { readBytes } from "../wire/read-body.ts";
import { controlRefusal } from "./refusals.ts";
import type { ControlCall, ControlRoute } from "./route.ts";

/** The built-in receivers. A delivery has no token, so that a sink takes none. */
export const SINK_ROUTES: readonly ControlRoute[] = [
  {
    method: "ANY",
    path: "/sink/:name",
    what: "a receiver that answers as its query says; without a token",
    open: true,
    answer: receive,
  },
  { method: "GET", path: "/sinks", what: "the receivers that something was sent to", answer: list },
  { method: "GET", path: "/sinks/:name", what: "what one was sent", answer: history },
  { method: "DELETE", path: "/sinks/:name", what: "forgets that", answer: clear },
];

function list({ engine: { agenda, sinks } }: ControlCall): Promise<object> {
  return agenda.allSettled(() => ({ data: sinks.list() }));
}

function history({ engine: { agenda, sinks }, params }: ControlCall): Promise<object> {
  const name = nameOf(params);
  return agenda.allSettled(() => ({ data: sinks.of(name) }));
}

function clear({ engine, params }: ControlCall): object {
  engine.sinks.clear(nameOf(params));
  return { data: [] };
}

/** Answers as the query of the URL says, when it says so. */
async function receive({ ctx, engine, params }: ControlCall): Promise<null> {
  const name = nameOf(params);
  const behaviour = readBehaviour(new URLSearchParams(ctx.querystring));
  const { method, url: target, req } = ctx;
  const headers = pairRawHeaders(req.rawHeaders);
  const body = await readBytes(req);
  const { entry, status, answered } = engine.sinks.receive(
    name,
    { method, target, headers, body },
    behaviour,
  );
  if (!(await heldBack(ctx.res, behaviour.delay))) return null;
  answered();
  ctx.status = status;
  // The sandbox's own time: an attempt keeps the headers of its answer, and they must not tell the wall's (promise 5).
  ctx.set("Date", new Date(engine.clock.now()).toUTCString());
  if (status >= 300 && behaviour.retryAfter !== null) ctx.set("Retry-After", String(behaviour.retryAfter));
  if (isBodiless(status)) return null;
  ctx.set("Content-Type", JSON_TYPE);
  ctx.body = JSON.stringify({ sink: name, number: entry.number, verdict: entry.verdict });
  return null;
}

/** RFC 9110 §15.3.5, §15.4.5. */
const isBodiless = (status: number): boolean => status === 204 || status === 205 || status === 304;

function nameOf({ name = "" }: ControlCall["params"]): string {
  if (/^[\w.-]{1,64}$/.test(name)) return name;
  throw controlRefusal("validation_failed", "The name of a sink is 1 to 64 letters, digits, dots, - and _.");
}

/** Milliseconds: no attempt waits that long. */
const LONGEST_DELAY = 60_000;

const WAYS =
  "status=200 to 599, fail=0 to 1 (how likely), times=N (only the first N requests), delay=a duration up to 60s, retryAfter=whole seconds";

/** How a sink behaves; each parameter at most once, and none that does nothing. */
function readBehaviour(query: URLSearchParams): SinkBehaviour {
  const given = new Map(query);
  const take = <T>(name: string, read: (text: string) => T | null): T | null => {
    const text = given.get(name);
    given.delete(name);
    if (text === undefined) return null;
    const value = read(text);
    if (value !== null && query.getAll(name).length === 1) return value;
    throw controlRefusal("validation_failed", `A sink takes ${WAYS}; this has ${name}=${text}.`);
  };
  const fail = take("fail", readShare);
  const times = take("times", wholeFrom(1, 1_000_000));
  const behaviour = {
    fail,
    times,
    status: take("status", wholeFrom(200, 599)) ?? (fail === null && times === null ? 200 : 503),
    delay: take("delay", readDelay) ?? 0,
    retryAfter: take("retryAfter", wholeFrom(0, 86_400)),
  };
  const [unknown] = given.keys();
  if (unknown === undefined) return behaviour;
  throw controlRefusal("validation_failed", `A sink takes ${WAYS}; it knows no ${unknown}.`);
}

const readShare = (text: string): number | null =>
  /^(0(\.\d+)?|1(\.0+)?|\.\d+)$/.test(text) ? Number(text) : null;

const wholeFrom =
  (least: number, most: number) =>
  (text: string): number | null =>
    /^\d{1,7}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : null;

function readDelay(text: string): number | null {
  const delay = parseDuration(text);
  return delay !== null && delay <= LONGEST_DELAY ? delay : null;
}
