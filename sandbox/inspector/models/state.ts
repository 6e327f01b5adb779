import { BROKER_ALIASES } from "../../../src/contract/aliases.ts";
import { FAULT_PRESETS } from "../../../src/domain/faults/presets.ts";
import { EVENT_TYPES } from "../../../src/domain/webhooks/event-types.ts";
import type { AliasUse, KeyUse, StateModel } from "../../../src/pages/state.tsx";
import type { LoggedRequest } from "../../api/requests.ts";
import type { Sandbox } from "../../api/sandbox.ts";
import type { Engine } from "../../engine/engine.ts";
import { readState } from "../../engine/read-state.ts";
import { readLoggedRequests } from "../../engine/requests-api.ts";

export async function readStateModel(
  engine: Engine,
  sandbox: Sandbox,
  query: URLSearchParams,
): Promise<StateModel> {
  const [from, to] = [query.get("from") ?? "", query.get("to") || "now"];
  const state = await readState(engine);
  const requests = await engine.idle.whenSettled(() => readLoggedRequests(engine));
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

/** Newest first. */
function listKeys(requests: readonly LoggedRequest[]): KeyUse[] {
  const uses = new Map<string, { -readonly [Field in keyof KeyUse]: KeyUse[Field] }>();
  for (const { idempotentReplay, number, operation, outcome, requestHeaders, status } of requests) {
    const key = requestHeaders.find(([name]) => name.toLowerCase() === "idempotency-key")?.[1];
    if (key === undefined || operation === null) continue;
    const id = `${operation} ${key}`;
    const use = uses.get(id) ?? { key, operation, requests: [] };
    use.requests = [...use.requests, { number, status, isReplay: idempotentReplay, outcome }];
    uses.set(id, use);
  }
  return [...uses.values()].reverse().slice(0, 100);
}

function listAliases(requests: readonly LoggedRequest[]): AliasUse[] {
  const uses = new Map<string, number[]>();
  for (const { alias, number, route } of requests)
    if (alias && route !== null) uses.set(route, [...(uses.get(route) ?? []), number]);
  return BROKER_ALIASES.flatMap(({ path, canonicalPath, lifecycle }) => {
    const numbers = uses.get(path);
    return numbers ? [{ path, canonicalPath, lifecycle, requests: numbers }] : [];
  });
}
