import type { FaultSpec } from "../../src/domain/faults/fault.ts";
import { FAULT_PRESETS, type FaultPresetName } from "../../src/domain/faults/presets.ts";
import { unknownPreset, unknownRule } from "../engine/faults/faults.ts";
import type { FaultRule } from "../faults.ts";
import { readObject } from "./body.ts";
import type { ControlCall, ControlRoute } from "./route.ts";

/** The rules by which requests fail. What comes in is looked at where it is carried out. */
export const FAULT_ROUTES: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/faults",
    what: "the rules, with how often each matched and was applied",
    answer: list,
  },
  { method: "POST", path: "/faults", what: 'a rule, or `{"preset": NAME}`', answer: add },
  { method: "DELETE", path: "/faults", what: "clears all rules", answer: clear },
  { method: "GET", path: "/faults/presets", what: "the presets, and what each does", answer: presets },
  { method: "DELETE", path: "/faults/:id", what: "clears one rule", answer: clear },
];

function list({ engine: { faults } }: ControlCall): object {
  return { data: faults.list() };
}

async function add({ ctx, engine: { faults } }: ControlCall): Promise<FaultRule> {
  const { preset, ...rule } = await readObject(ctx);
  if (preset === undefined) return faults.add(rule as unknown as FaultSpec);
  if (typeof preset !== "string") throw unknownPreset(preset);
  return faults.add(preset as FaultPresetName, rule as Partial<FaultSpec>);
}

function clear(call: ControlCall): object {
  const { id } = call.params;
  if (id !== undefined && !/^\d{1,9}$/.test(id)) {
    throw unknownRule(id);
  }
  call.engine.faults.clear(id === undefined ? undefined : Number(id));
  return list(call);
}

function presets(): object {
  return { data: Object.entries(FAULT_PRESETS).map(([name, preset]) => ({ name, ...preset })) };
}
