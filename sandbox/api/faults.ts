import type { FaultPresetName } from "../../src/contract/fault-presets.ts";
import type { FaultRule, FaultSpec } from "../../src/contract/fault-rules.ts";

export type {
  FaultEffect,
  FaultMatch,
  FaultPhase,
  FaultRule,
  FaultSpec,
} from "../../src/contract/fault-rules.ts";

/** Makes requests to the service fail. The first rule that applies decides. */
export interface SandboxFaults {
  /** Adds a rule, or a preset with overrides. Throws a usage error that names the invalid field. */
  add<Rule extends FaultSpec | FaultPresetName>(
    rule: Rule,
    ...overrides: Rule extends FaultPresetName ? [overrides?: Partial<FaultSpec>] : []
  ): FaultRule;
  /** In their order, including exhausted rules. */
  list(): readonly FaultRule[];
  /** Deletes a rule, or all of them; then ids begin at 1 again. Throws for an unknown id. */
  clear(id?: number): void;
}
