import { BROKER_ALIASES } from "../../../src/contract/aliases.ts";
import { FAULT_PRESETS } from "../../../src/domain/faults/presets.ts";
import { EVENT_TYPES } from "../../../src/domain/webhooks/event-types.ts";
import { pairRawHeaders } from "../../../src/domain/webhooks/headers.ts";
import type { AliasUsage, KeyUse, StateModel } from "../../../src/pages/state.tsx";
import type { Sandbox } from "../../api/sandbox.ts";
import type { Engine } from "../../engine/engine.ts";
import { readState } from "../../engine/read-state.ts";
import { type RequestSummary, summarizeRequest } from "../../engine/request-log/logged-request.ts";
import { redactHeader } from "../../engine/request-log/redaction.ts";
import type { RecordedRequest } from "../../engine/request-log/request-log.ts";

export async function readStateModel(
  engine: Engine,
  sandbox: Sandbox,
  query: URLSearchParams,
): Promise<StateModel> {
  const [from, to] = [query.get("from") ?? "", query.get("to") || "now"];
  const state = await readState(engine);
  const requests = await engine.idle.whenSettled(() => engine.requestLog.entries().map(toKeyedRequest));
  return {
    state,
    snapshots: sandbox.snapshots.list(),
    difference: from === "" ? null : { from, to, diff: await sandbox.snapshots.diff(from, to) },
    endpoints: await sandbox.webhooks.endpoints(),
    sinks: engine.sinks.list(),
    keys: listKeys(requests),
    aliases: listAliases(requests),
    faults: sandbox.faults.list(),
    presets: Object.entries(FAULT_PRESETS).map(([name, { summary }]) => ({ name, summary })),
    eventTypes: EVENT_TYPES,
  };
}

interface KeyedRequest extends RequestSummary {
  /** Its Idempotency-Key; null without one. */
  readonly key: string | null;
}

const KEY_HEADER = "idempotency-key";

function toKeyedRequest(request: RecordedRequest): KeyedRequest {
  const header = pairRawHeaders(request.headers).find(([name]) => name.toLowerCase() === KEY_HEADER);
  return { ...summarizeRequest(request), key: header ? redactHeader(...header) : null };
}

/** Newest first. */
function listKeys(requests: readonly KeyedRequest[]): KeyUse[] {
  const uses = new Map<string, { -readonly [Field in keyof KeyUse]: KeyUse[Field] }>();
  for (const { idempotentReplay, key, number, operation, outcome, status } of requests) {
    if (key === null || operation === null) continue;
    const id = `${operation} ${key}`;
    const use = uses.get(id) ?? { key, operation, requests: [] };
    use.requests = [...use.requests, { number, status, isReplay: idempotentReplay, outcome }];
    uses.set(id, use);
  }
  return [...uses.values()].reverse().slice(0, 100);
}

function listAliases(requests: readonly RequestSummary[]): AliasUsage[] {
  const uses = new Map<string, number[]>();
  for (const { alias, number, route } of requests)
    if (alias && route !== null) uses.set(route, [...(uses.get(route) ?? []), number]);
  return BROKER_ALIASES.flatMap(({ path, canonicalPath, lifecycle }) => {
    const numbers = uses.get(path);
    return numbers ? [{ path, canonicalPath, lifecycle, requests: numbers }] : [];
  });
}
