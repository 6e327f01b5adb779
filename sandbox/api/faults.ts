import type { faultRule, ReadonlyStatic } from "../../src/contract/control-responses.ts";
import type { OperationId } from "../../src/contract/operations.ts";
import type * as faults from "../../src/domain/faults/fault.ts";
import type { FaultPresetName } from "../../src/domain/faults/presets.ts";

export type { FaultEffect, FaultPhase } from "../../src/domain/faults/fault.ts";

export type FaultMatch = faults.FaultMatch<OperationId>;
export type FaultSpec = faults.FaultSpec<OperationId>;

export type FaultRule = ReadonlyStatic<typeof faultRule>;

/** Makes requests to the service fail. The first rule that applies decides; a response names it in `X-Sandbox-Fault`. */
export interface SandboxFaults {
  /**
   * Adds a rule, or a preset with overrides. Throws a usage error that names the invalid field, and `too_many` for
   * more than 1,000 rules.
   */
  add<Rule extends FaultSpec | FaultPresetName>(
    rule: Rule,
    ...overrides: Rule extends FaultPresetName ? [overrides?: Partial<FaultSpec>] : []
  ): FaultRule;
  /** In their order, including exhausted rules. */
  list(): readonly FaultRule[];
  /** Deletes a rule, or all of them; then ids begin at 1 again. Throws for an unknown id. */
  clear(id?: number): void;
}
