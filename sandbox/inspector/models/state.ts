import { FAULT_PRESETS } from "../../../src/domain/faults/presets.ts";
import { EVENT_TYPES } from "../../../src/domain/webhooks/event-types.ts";
import { pairRawHeaders } from "../../../src/domain/webhooks/headers.ts";
import type { StateModel } from "../../../src/pages/state.tsx";
import type { Sandbox } from "../../api/sandbox.ts";
import type { Engine } from "../../engine/engine.ts";
import { readState } from "../../engine/read-state.ts";
import { summarizeRequest } from "../../engine/request-log/logged-request.ts";
import { redactHeader, redactModel } from "../../engine/request-log/redaction.ts";
import type { RecordedRequest } from "../../engine/request-log/request-log.ts";
import { type KeyedRequest, listAliases, listKeys } from "./uses.ts";

export async function readStateModel(
  engine: Engine,
  sandbox: Sandbox,
  query: URLSearchParams,
): Promise<StateModel> {
  const [from, to] = [query.get("from") ?? "", query.get("to") || "now"];
  const state = await readState(engine);
  const requests = await engine.idle.whenSettled(() => engine.requestLog.entries().map(toKeyedRequest));
  return redactModel({
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
  });
}

const KEY_HEADER = "idempotency-key";

function toKeyedRequest(request: RecordedRequest): KeyedRequest {
  const header = pairRawHeaders(request.headers).find(([name]) => name.toLowerCase() === KEY_HEADER);
  return { ...summarizeRequest(request), key: header ? redactHeader(...header) : null };
}
