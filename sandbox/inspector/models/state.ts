import type { StateModel } from "../../../src/pages/state.tsx";
import type { Sandbox } from "../../api/sandbox.ts";
import type { Engine } from "../../engine/engine.ts";
import { readState } from "../../engine/read-state.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";

export async function readStateModel(
  engine: Engine,
  sandbox: Sandbox,
  query: URLSearchParams,
): Promise<StateModel> {
  const [from, to] = [query.get("from") ?? "", query.get("to") || "now"];
  const state = await readState(engine);
  return redactModel({
    state,
    snapshots: sandbox.snapshots.list(),
    difference: from === "" ? null : { from, to, diff: await sandbox.snapshots.diff(from, to) },
    endpoints: await sandbox.webhooks.endpoints(),
    faults: sandbox.faults.list(),
  });
}
