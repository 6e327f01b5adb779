import { Readable } from "node:stream";
import type { Engine } from "../engine/engine.ts";
import { NDJSON_TYPE } from "../wire/content-types.ts";
import { readChunks } from "../wire/read-body.ts";
import { readKnownFields } from "./body.ts";
import { renderClock } from "./clock.ts";
import { controlProblem } from "./problems.ts";
import type { ControlCall, ControlRoute } from "./route.ts";

/** The states of the service: saved, loaded, told apart; and back to the start. */
export const SNAPSHOT_ROUTES: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/snapshots",
    summary: "those that are kept",
    handle: ({ options: { snapshots } }) => ({ data: snapshots.list() }),
  },
  {
    method: "POST",
    path: "/snapshots/:name",
    summary: "saves the present state",
    handle: ({ options: { snapshots }, params: { name = "" } }) => snapshots.save(name),
  },
  {
    method: "GET",
    path: "/snapshots/:name",
    summary: "a snapshot as a document; `now` is the present state",
    handle: exportSnapshot,
  },
  {
    method: "PUT",
    path: "/snapshots/:name",
    summary: "keeps a document as a snapshot",
    handle: ({ ctx, options: { snapshots }, params: { name = "" } }) =>
      snapshots.import(name, readChunks(ctx.req)),
  },
  { method: "DELETE", path: "/snapshots/:name", summary: "forgets one", handle: removeSnapshot },
  {
    method: "POST",
    path: "/snapshots/:name/load",
    summary: "puts the sandbox into that state",
    handle: loadSnapshot,
  },
  {
    method: "PUT",
    path: "/state",
    summary: "puts the sandbox into the state of a document",
    handle: loadStateDocument,
  },
  {
    method: "GET",
    path: "/snapshots/:name/diff",
    summary: "what differs from it; `?to=NAME`, or the present state",
    handle: diffSnapshots,
  },
  {
    method: "POST",
    path: "/reset",
    summary: '`{}` for the seeded state, `{"to": NAME}` for a snapshot',
    handle: resetState,
  },
];

async function exportSnapshot({
  ctx,
  options: { snapshots },
  params: { name = "" },
}: ControlCall): Promise<null> {
  const pieces = await snapshots.export(name);
  ctx.set("Content-Type", NDJSON_TYPE);
  ctx.body = Readable.from(pieces, { objectMode: false });
  return null;
}

function removeSnapshot({ options: { snapshots }, params: { name = "" } }: ControlCall): object {
  snapshots.remove(name);
  return { data: snapshots.list() };
}

function diffSnapshots({ ctx, options: { snapshots }, params: { name = "" } }: ControlCall): Promise<object> {
  const { to, ...others } = Object.fromEntries(new URLSearchParams(ctx.querystring));
  if (Object.keys(others).length > 0)
    throw controlProblem("validation_failed", "A difference takes ?to=NAME and nothing else.");
  return snapshots.diff(name, to);
}

async function loadSnapshot({
  engine,
  options: { snapshots },
  params: { name = "" },
}: ControlCall): Promise<object> {
  await snapshots.load(name);
  return renderStateAfterLoad(engine);
}

/** A document that is not kept. */
async function loadStateDocument({ ctx, engine, options: { snapshots } }: ControlCall): Promise<object> {
  await snapshots.loadFrom(readChunks(ctx.req));
  return renderStateAfterLoad(engine);
}

async function resetState({ ctx, engine, options: { snapshots } }: ControlCall): Promise<object> {
  const { to } = await readKnownFields(ctx, ["to"]);
  if (to !== undefined && typeof to !== "string")
    throw controlProblem(
      "validation_failed",
      'Send {} for the seeded state, or {"to": NAME} for a snapshot.',
    );
  await snapshots.reset(to);
  return renderStateAfterLoad(engine);
}

/** The credentials may be others now. */
const renderStateAfterLoad = (engine: Engine): object => ({
  clock: renderClock(engine),
  credentials: engine.credentials,
});
