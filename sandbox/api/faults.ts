import type { FaultEffect, FaultMatch, FaultPhase, FaultSpec } from "../../src/domain/faults/fault.ts";
import type { FaultPresetName } from "../../src/domain/faults/presets.ts";

/** A rule that is in force, and what came of it so far. */
export interface FaultRule {
  /** Counted from 1. */
  readonly id: number;
  /** The preset that it was made from. */
  readonly preset: FaultPresetName | null;
  readonly match: FaultMatch;
  readonly phase: FaultPhase;
  /** Null: without end. */
  readonly times: number | null;
  readonly skip: number;
  readonly probability: number;
  readonly then: FaultEffect;
  /** The effect in words. */
  readonly description: string;
  /** Requests that it was about, and those of them that it had fail. */
  readonly matched: number;
  readonly applied: number;
}

/**
 * Lets requests to the service fail. Rules are asked in the order in which they were added, and the first one that applies
 * decides; what fails by the header `X-Sandbox-Fault` of a single request is none of theirs.
 */
export interface SandboxFaults {
  /**
   * Adds a rule, or a preset with what of it should be otherwise. Throws a usage error that names the field for a rule that
   * makes no sense, and `too_many_faults` when there are 1,000.
   */
  add(rule: FaultSpec): FaultRule;
  add(preset: FaultPresetName, overrides?: Partial<FaultSpec>): FaultRule;
  /** In their order, also those that will not be applied any more. */
  list(): readonly FaultRule[];
  /** Takes away the rule of that id, or all of them, and then ids begin at 1 again. Throws for an id that no rule has. */
  clear(id?: number): void;
}
