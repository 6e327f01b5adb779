import type { StateModel } from "../../../src/pages/state.tsx";
import type { Sandbox } from "../../api/sandbox.ts";
import type { Engine } from "../../engine/engine.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import { readState } from "../../library/read-state.ts";

export const readStateModel = async (engine: Engine, sandbox: Sandbox): Promise<StateModel> =>
  redactModel({ state: await readState(engine), snapshots: sandbox.snapshots.list() });
