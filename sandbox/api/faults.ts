import type { FaultPresetName } from "../../src/contract/fault-presets.ts";
import type * as rules from "../../src/contract/fault-rules.ts";
import type { FaultRule } from "../../src/contract/fault-rules.ts";
import type { OperationId } from "../../src/contract/operations/operations.ts";

export type { FaultEffect, FaultPhase, FaultRule } from "../../src/contract/fault-rules.ts";

export interface FaultMatch extends rules.FaultMatch {
  readonly operation?: OperationId;
}

export interface FaultSpec extends rules.FaultSpec {
  readonly match?: FaultMatch;
}

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
