import { Readable } from "node:stream";
import type { RequestFilter } from "../api/requests.ts";
import { followRequests } from "../engine/request-log/follow-requests.ts";
import { createRequestsApi } from "../engine/request-log/requests-api.ts";
import { NDJSON_TYPE } from "../wire/content-types.ts";
import { readKnownFields } from "./body.ts";
import { controlProblem } from "./problems.ts";
import type { ControlCall, ControlRoute } from "./route.ts";

/** The journal of requests to the service; what is asked here is not in it. */
export const REQUEST_ROUTES: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/requests",
    summary: "the journal; filters as a query, `?follow` for NDJSON as requests end",
    handle: listRequests,
  },
  { method: "DELETE", path: "/requests", summary: "forgets it", handle: clearRequests },
  {
    method: "GET",
    path: "/requests/har",
    summary: "the same as HTTP Archive 1.2",
    handle: ({ ctx, engine }) =>
      createRequestsApi(engine).har(parseFilter(new URLSearchParams(ctx.querystring))),
  },
  {
    method: "GET",
    path: "/requests/:number",
    summary: "one request, and what became of it",
    handle: ({ engine, params: { number = "" } }) => createRequestsApi(engine).get(number),
  },
  {
    method: "POST",
    path: "/requests/:number/replay",
    summary: '`{}` or `{"newKey": true}`: sends it again',
    handle: replayRequest,
  },
];

async function listRequests({ ctx, engine }: ControlCall): Promise<object | null> {
  const query = new URLSearchParams(ctx.querystring);
  const isFollowed = query.has("follow");
  query.delete("follow");
  const filter = parseFilter(query);
  if (!isFollowed) return { data: await createRequestsApi(engine).list(filter) };
  const gone = new AbortController();
  ctx.res.once("close", () => gone.abort());
  const lines = followRequests(engine, filter, gone.signal);
  ctx.status = 200;
  ctx.set({ "Cache-Control": "no-store", "Content-Type": NDJSON_TYPE });
  ctx.body = Readable.from(lines, { objectMode: false });
  // Whoever follows knows by the head of the answer that nothing is missed from here on.
  ctx.flushHeaders();
  return null;
}

async function clearRequests({ engine }: ControlCall): Promise<object> {
  await createRequestsApi(engine).clear();
  return { data: [] };
}

async function replayRequest({ ctx, engine, params: { number = "" } }: ControlCall): Promise<object> {
  const { newKey = false } = await readKnownFields(ctx, ["newKey"]);
  if (typeof newKey !== "boolean") throw controlProblem("validation_failed", 'Send {} or {"newKey": true}.');
  return createRequestsApi(engine).replay(number, { newKey });
}

/** A query as a filter; what it is worth is looked at where it is used. */
function parseFilter(query: URLSearchParams): RequestFilter {
  const filter: Record<string, unknown> = Object.create(null);
  for (const [name, text] of query) {
    if (name in filter) throw controlProblem("validation_failed", `${name} is there more than once.`);
    filter[name] = parseFilterValue(name, text);
  }
  return filter;
}

function parseFilterValue(name: string, text: string): unknown {
  if (name === "fault" && /^(true|false)$/.test(text)) return text === "true";
  return (name === "since" || name === "limit") && /^\d{1,15}$/.test(text) ? Number(text) : text;
}
