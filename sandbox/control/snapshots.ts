import { Readable } from "node:stream";
import type { Engine } from "../engine/engine.ts";
import { NDJSON_TYPE } from "../wire/content-types.ts";
import { readPieces } from "../wire/read-body.ts";
import { readFields } from "./body.ts";
import { clockState } from "./clock.ts";
import { controlRefusal } from "./refusals.ts";
import type { ControlCall, ControlRoute } from "./route.ts";

/** The states of the service: saved, loaded, told apart; and back to the start. */
export const SNAPSHOT_ROUTES: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/snapshots",
    what: "those that are kept",
    answer: ({ options: { snapshots } }) => ({ data: snapshots.list() }),
  },
  {
    method: "POST",
    path: "/snapshots/:name",
    what: "saves the present state",
    answer: ({ options: { snapshots }, params: { name = "" } }) => snapshots.save(name),
  },
  {
    method: "GET",
    path: "/snapshots/:name",
    what: "a snapshot as a document; `now` is the present state",
    answer: document,
  },
  {
    method: "PUT",
    path: "/snapshots/:name",
    what: "keeps a document as a snapshot",
    answer: ({ ctx, options: { snapshots }, params: { name = "" } }) =>
      snapshots.import(name, readPieces(ctx.req)),
  },
  { method: "DELETE", path: "/snapshots/:name", what: "forgets one", answer: remove },
  { method: "POST", path: "/snapshots/:name/load", what: "puts the sandbox into that state", answer: load },
  {
    method: "PUT",
    path: "/state",
    what: "puts the sandbox into the state of a document",
    answer: loadDocument,
  },
  {
    method: "GET",
    path: "/snapshots/:name/diff",
    what: "what differs from it; `?to=NAME`, or the present state",
    answer: difference,
  },
  {
    method: "POST",
    path: "/reset",
    what: '`{}` for the seeded state, `{"to": NAME}` for a snapshot',
    answer: reset,
  },
];

async function document({ ctx, options: { snapshots }, params: { name = "" } }: ControlCall): Promise<null> {
  const pieces = await snapshots.export(name);
  ctx.set("Content-Type", NDJSON_TYPE);
  ctx.body = Readable.from(pieces, { objectMode: false });
  return null;
}

function remove({ options: { snapshots }, params: { name = "" } }: ControlCall): object {
  snapshots.remove(name);
  return { data: snapshots.list() };
}

function difference({ ctx, options: { snapshots }, params: { name = "" } }: ControlCall): Promise<object> {
  const { to, ...others } = Object.fromEntries(new URLSearchParams(ctx.querystring));
  if (Object.keys(others).length > 0)
    throw controlRefusal("validation_failed", "A difference takes ?to=NAME and nothing else.");
  return snapshots.diff(name, to);
}

async function load({ engine, options: { snapshots }, params: { name = "" } }: ControlCall): Promise<object> {
  await snapshots.load(name);
  return stateAfter(engine);
}

/** A document that is not kept. */
async function loadDocument({ ctx, engine, options: { snapshots } }: ControlCall): Promise<object> {
  await snapshots.loadFrom(readPieces(ctx.req));
  return stateAfter(engine);
}

async function reset({ ctx, engine, options: { snapshots } }: ControlCall): Promise<object> {
  const { to } = await readFields(ctx, ["to"]);
  if (to !== undefined && typeof to !== "string")
    throw controlRefusal(
      "validation_failed",
      'Send {} for the seeded state, or {"to": NAME} for a snapshot.',
    );
  await snapshots.reset(to);
  return stateAfter(engine);
}

/** The credentials may be others now. */
const stateAfter = (engine: Engine): object => ({
  clock: clockState(engine),
  credentials: engine.credentials,
});
