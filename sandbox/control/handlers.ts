import { Readable } from "node:stream";
import type { Context } from "koa";
import type { ControlBody, ControlKey, ControlQuery } from "../../src/contract/control.ts";
import type { ControlResponses } from "../../src/contract/control-responses.ts";
import type { FaultPresetName } from "../../src/contract/fault-presets.ts";
import type { PathParams } from "../../src/contract/operations/operation.ts";
import type { Environment } from "../../src/domain/environments.ts";
import type { ClockState, RestoredState, RotatedCredential } from "../api/control.ts";
import type { FaultSpec } from "../api/faults.ts";
import type { HostOptions } from "../api/host-options.ts";
import type { RequestFilter } from "../api/requests.ts";
import type { Sandbox } from "../api/sandbox.ts";
import type { WaitCondition } from "../api/webhooks.ts";
import type { Engine } from "../engine/engine.ts";
import { unknownRule } from "../engine/faults/faults.ts";
import { INSPECTOR_PREFIX, type InspectorAccess, requireLoopback } from "../inspector/access.ts";
import { followActivity } from "../library/follow-activity.ts";
import { readClock, readState } from "../library/read-state.ts";
import type { Snapshots } from "../library/snapshots/snapshots.ts";
import { findIds } from "../store/find-ids.ts";
import { NDJSON_TYPE } from "../wire/content-types.ts";
import { readChunks } from "../wire/read-body.ts";
import { parseSinkName, receiveAtSink } from "./sink.ts";

export interface ControlDependencies {
  readonly sandbox: Sandbox;
  readonly engine: Engine;
  readonly snapshots: Snapshots;
  /** RFC 3339, of the wall clock. */
  readonly startedAt: string;
  readonly host: string;
  readonly inspectorAccess: InspectorAccess;
  readonly saveBeforeShutdown: HostOptions["saveBeforeShutdown"];
  readonly onShutdownRequested: () => void;
  /** A sandbox without a state file has none. */
  readonly saves: HostOptions["saves"];
}

interface ControlCall<K extends ControlKey> extends ControlDependencies {
  readonly ctx: Context;
  readonly params: PathParams<K>;
  readonly query: ControlQuery<K>;
  readonly body: ControlBody<K>;
}

/** Returns the JSON of the response; `null` where the handler has written the response itself. */
type ControlHandler<K extends ControlKey> = (
  call: ControlCall<K>,
) => ControlResponses[K] | Promise<ControlResponses[K]>;

export const HANDLERS: { readonly [K in ControlKey]: ControlHandler<K> } = {
  "GET /health": ({ sandbox: { instanceId, clock } }) => ({
    status: "ok",
    instanceId,
    clockFrozen: clock.frozen,
    clockNow: clock.now(),
  }),
  "GET /ready": () => ({ status: "ready" }),
  "GET /state": async ({ engine, saves, startedAt }) => ({
    startedAt,
    instanceId: engine.instanceId,
    seed: engine.random.save()?.seed ?? null,
    mapping: engine.service.givenMapping,
    ...(await engine.quiescence.run(() => readState(engine))),
    ...saves?.(),
  }),
  "POST /inspect": ({ host, inspectorAccess, sandbox }) => {
    requireLoopback(host);
    const ticket = inspectorAccess.createTicket();
    return {
      url: `${sandbox.url}${INSPECTOR_PREFIX}/tickets/${ticket}`,
      expiresInSeconds: inspectorAccess.ticketLifetimeMs / 1_000,
    };
  },
  "GET /report": async ({ ctx, sandbox }) => {
    ctx.set("Content-Type", "text/html; charset=utf-8");
    // The file opens where it was saved, not here.
    ctx.set("Content-Disposition", 'attachment; filename="run.html"');
    ctx.body = await sandbox.report();
    return null;
  },
  "POST /shutdown": async ({ ctx, onShutdownRequested, sandbox, saveBeforeShutdown }) => {
    // Also if the client is gone before the state is saved.
    ctx.res.once("close", onShutdownRequested);
    return { status: "closing", saveFailure: (await saveBeforeShutdown?.(sandbox)) ?? null };
  },
  "GET /clock": ({ engine }) => readClock(engine),
  "POST /clock/advance": ({ body, sandbox }) => sandbox.clock.advance(body.to),
  "POST /clock/freeze": (call) => switchClock(call, "freeze"),
  "POST /clock/unfreeze": (call) => switchClock(call, "unfreeze"),
  "GET /agenda": ({ engine, sandbox }) => engine.quiescence.run(() => ({ data: sandbox.clock.agenda() })),
  "ANY /sink/{name}": ({ ctx, engine, params, query }) => receiveAtSink(ctx, engine, params.name, query),
  "GET /sinks/{name}": ({ engine, params }) =>
    engine.quiescence.run(() => ({ data: engine.sinks.entriesOf(parseSinkName(params.name)) })),
  "POST /emit": ({ body, sandbox }) => sandbox.webhooks.emit(body),
  "GET /ids": ({ engine, query }) => ({ data: findIds(engine.store, query.kind, query.start) }),
  "GET /endpoints": async ({ sandbox }) => ({ data: await sandbox.webhooks.endpoints() }),
  "POST /endpoints/{id}/status": ({ body, params, sandbox }) =>
    sandbox.webhooks.setStatus(params.id, body.status),
  "GET /deliveries/{id}": ({ params, sandbox }) => sandbox.webhooks.delivery(params.id),
  "POST /deliveries/{id}/resend": ({ params, sandbox }) => sandbox.webhooks.resend(params.id),
  "POST /credentials/rotate": ({ body, engine }) => rotateCredential(engine, body.environment),
  "POST /wait": async ({ ctx, body: { timeoutMs, ...condition }, sandbox }) => {
    const signal = abortOnDisconnect(ctx);
    try {
      return await sandbox.waitFor(condition as WaitCondition, {
        signal,
        ...(timeoutMs !== undefined && { timeoutMs }),
      });
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  },
  "GET /snapshots": ({ snapshots }) => ({ data: snapshots.list() }),
  "POST /snapshots/{name}": ({ params, snapshots }) => snapshots.save(params.name),
  "GET /snapshots/{name}": async ({ ctx, params, snapshots }) => {
    const pieces = await snapshots.export(params.name);
    ctx.set("Content-Type", NDJSON_TYPE);
    ctx.body = Readable.from(pieces, { objectMode: false });
    return null;
  },
  "PUT /snapshots/{name}": ({ ctx, params, snapshots }) => snapshots.import(params.name, readChunks(ctx.req)),
  "DELETE /snapshots/{name}": ({ params, snapshots }) => {
    snapshots.remove(params.name);
    return { data: snapshots.list() };
  },
  "POST /snapshots/{name}/load": async ({ engine, params, snapshots }) => {
    await snapshots.load(params.name);
    return readRestoredState(engine);
  },
  "PUT /state": async ({ ctx, engine, snapshots }) => {
    await snapshots.loadFrom(readChunks(ctx.req));
    return readRestoredState(engine);
  },
  "POST /reset": async ({ body, engine, sandbox }) => {
    await sandbox.reset(body.to);
    return readRestoredState(engine);
  },
  "GET /faults": ({ sandbox }) => ({ data: sandbox.faults.list() }),
  "POST /faults": ({ body: { preset, ...rule }, sandbox }) =>
    preset === undefined
      ? sandbox.faults.add(rule as FaultSpec)
      : sandbox.faults.add(preset as FaultPresetName, rule),
  "DELETE /faults": ({ sandbox }) => {
    sandbox.faults.clear();
    return { data: [] };
  },
  "DELETE /faults/{id}": ({ params: { id }, sandbox }) => {
    if (!/^\d{1,9}$/.test(id)) throw unknownRule(id);
    sandbox.faults.clear(Number(id));
    return { data: sandbox.faults.list() };
  },
  "GET /requests": async ({ query, sandbox }) => ({
    data: await sandbox.requests.list(query as RequestFilter),
  }),
  "GET /activity": ({ ctx, engine, query, sandbox: { url } }) => {
    const events = followActivity(engine, abortOnDisconnect(ctx), query as RequestFilter);
    ctx.set("Content-Type", NDJSON_TYPE);
    ctx.body = Readable.from(toJsonLines({ event: "ready", url }, events));
    return null;
  },
  "DELETE /requests": async ({ sandbox }) => {
    await sandbox.requests.clear();
    return { data: [] };
  },
  "GET /requests/{number}": ({ params, sandbox }) => sandbox.requests.get(params.number),
};

/** @param first tells the caller that it misses nothing from now on */
async function* toJsonLines(first: unknown, items: AsyncIterable<unknown>): AsyncGenerator<string> {
  yield `${JSON.stringify(first)}\n`;
  for await (const item of items) yield `${JSON.stringify(item)}\n`;
}

function switchClock({ engine, sandbox }: ControlDependencies, verb: "freeze" | "unfreeze"): ClockState {
  sandbox.clock[verb]();
  return readClock(engine);
}

const readRestoredState = (engine: Engine): RestoredState => ({
  clock: readClock(engine),
  credentials: engine.credentials,
});

function abortOnDisconnect(ctx: Context): AbortSignal {
  const disconnected = new AbortController();
  ctx.res.once("close", () => disconnected.abort());
  return disconnected.signal;
}

/** Replaces the first partner's API key, refuses the old one from then on, and emits the event (interface §6). */
function rotateCredential(engine: Engine, environment: Environment): RotatedCredential {
  const { credentials, apiKeys, random, webhooks } = engine;
  const { apiKey: old } = credentials[environment];
  const apiKey = `sk_${environment}_${random.hex("rotated_key", 20)}`;
  const { partner } = apiKeys.replace(old, apiKey);
  engine.credentials = { ...credentials, [environment]: { ...credentials[environment], apiKey } };
  const data = { keyEndsWith: apiKey.slice(-4), previousKeyEndsWith: old.slice(-4) };
  webhooks.emit({ partner, environment, type: "partner.credential.rotated", data });
  return { environment, apiKey };
}
