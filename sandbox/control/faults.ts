import type { FaultSpec } from "../../src/domain/faults/fault.ts";
import { FAULT_PRESETS, type FaultPresetName } from "../../src/domain/faults/presets.ts";
import type { FaultRule } from "../api/faults.ts";
import { unknownPreset, unknownRule } from "../engine/faults/faults.ts";
import { readJsonObject } from "./body.ts";
import type { ControlCall, ControlRoute } from "./route.ts";

/** The rules by which requests fail. What comes in is looked at where it is carried out. */
export const FAULT_ROUTES: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/faults",
    summary: "the rules, with how often each matched and was applied",
    handle: listFaults,
  },
  { method: "POST", path: "/faults", summary: 'a rule, or `{"preset": NAME}`', handle: addFault },
  { method: "DELETE", path: "/faults", summary: "clears all rules", handle: clearFaults },
  { method: "GET", path: "/faults/presets", summary: "the presets, and what each does", handle: listPresets },
  { method: "DELETE", path: "/faults/:id", summary: "clears one rule", handle: clearFaults },
];

function listFaults({ engine: { faults } }: ControlCall): object {
  return { data: faults.list() };
}

async function addFault({ ctx, engine: { faults } }: ControlCall): Promise<FaultRule> {
  const { preset, ...rule } = await readJsonObject(ctx);
  if (preset === undefined) return faults.add(rule as unknown as FaultSpec);
  if (typeof preset !== "string") throw unknownPreset(preset);
  return faults.add(preset as FaultPresetName, rule as Partial<FaultSpec>);
}

function clearFaults(call: ControlCall): object {
  const { id } = call.params;
  if (id !== undefined && !/^\d{1,9}$/.test(id)) {
    throw unknownRule(id);
  }
  call.engine.faults.clear(id === undefined ? undefined : Number(id));
  return listFaults(call);
}

function listPresets(): object {
  return { data: Object.entries(FAULT_PRESETS).map(([name, preset]) => ({ name, ...preset })) };
}
