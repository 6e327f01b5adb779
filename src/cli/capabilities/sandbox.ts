import library from "virtual:sandbox-library";
import { CONTROL_OPERATIONS, type ControlOperation } from "../../contract/control.ts";
import { describeDimension, GREASE_DIMENSIONS } from "../../contract/grease.ts";
import { FAULT_PRESETS } from "../../domain/faults/presets.ts";
import { getScenario, SCENARIO_NAMES } from "../../domain/scenarios/scenarios.ts";
import type { Capabilities } from "../documents/capabilities.ts";

type SandboxParts = Pick<
  Capabilities,
  "controlRoutes" | "sandboxOptions" | "sandboxMembers" | "scenarios" | "grease" | "faultPresets"
>;

export const describeSandbox = (): SandboxParts => ({
  controlRoutes: Object.entries<ControlOperation>(CONTROL_OPERATIONS).map(
    ([operation, { summary, isPublic = false, query = null, body = null }]) => ({
      operation,
      summary,
      needsToken: !isPublic,
      query,
      body,
    }),
  ),
  sandboxOptions: library.options.map((option) => ({ ...option })),
  sandboxMembers: library.members.map((member) => ({ ...member, members: [...member.members] })),
  scenarios: SCENARIO_NAMES.map((name) => {
    const { description, state, review, resumed, layouts } = getScenario(name);
    return { name, outcome: description, state, review, resumed, layouts: [...layouts] };
  }),
  grease: GREASE_DIMENSIONS.map((name) => ({ name, ...describeDimension(name) })),
  faultPresets: Object.entries(FAULT_PRESETS).map(([name, { summary }]) => ({ name, summary })),
});
