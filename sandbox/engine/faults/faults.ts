import { EventEmitter } from "node:events";
import { FAULT_PRESETS, type FaultPresetName, isFaultPreset } from "../../../src/contract/fault-presets.ts";
import type { FaultEffect, FaultMatch, FaultPhase, FaultSpec } from "../../../src/contract/fault-rules.ts";
import { parseDuration } from "../../../src/domain/duration.ts";
import { notFoundError, usageError } from "../../../src/domain/errors.ts";
import { isRecord, quoteValue } from "../../../src/domain/json.ts";
import { createRandomNumbers } from "../../../src/domain/random-numbers.ts";
import type { FaultRule, SandboxFaults } from "../../api/faults.ts";
import type { RandomSource } from "../random.ts";
import { parseRule, type ValidRule } from "./rule.ts";

export interface Fault {
  readonly phase: FaultPhase;
  /** Milliseconds of wall time. */
  readonly delayMs: number;
  readonly then: FaultEffect;
  /** Names the rule, as in `rule 3 (flaky)`. */
  readonly source: string;
  readonly description: string;
}

interface ActiveRule {
  readonly id: number;
  readonly preset: FaultPresetName | null;
  readonly rule: ValidRule;
  readonly fault: Fault;
  matched: number;
  applied: number;
}

export interface Faults extends SandboxFaults {
  readonly isEmpty: boolean;
  /** Counts a request. Returns the fault of the first rule that applies to it, or null. */
  apply(request: MatchableRequest): Fault | null;
  /** Deletes all rules, and ends the responses that hang. */
  reset(): void;
  /** A response that hangs ends with the next reset. */
  readonly resets: EventEmitter<{ reset: [] }>;
}

/** The rules by which requests to the service fail (product.md §5, Faults). */
export function createFaults(random: RandomSource): Faults {
  const salt = random.hex("faults", 16);
  let rules: ActiveRule[] = [];
  let lastId = 0;
  // Each response that hangs listens to it. A suite can have replaced AbortSignal, as jsdom does.
  const resets = new EventEmitter<{ reset: [] }>().setMaxListeners(0);

  /** Draws for each request of a rule separately, so that it does not depend on other rules. */
  const shouldApply = (active: ActiveRule): boolean => {
    active.matched += 1;
    const { id, matched, applied, rule } = active;
    const { probability, skip, times } = rule;
    if (matched <= skip || (times !== null && applied >= times)) return false;
    const isDrawn =
      probability === 1 || createRandomNumbers(`${salt}/${id}/${matched}`)() / 2 ** 32 < probability;
    if (isDrawn) active.applied += 1;
    return isDrawn;
  };

  return {
    get isEmpty() {
      return rules.length === 0;
    },

    add(given: FaultSpec | FaultPresetName, overrides: Partial<FaultSpec> = {}) {
      const preset = typeof given === "string" ? given : null;
      const rule = parseRule(preset === null ? given : mergePreset(preset, overrides));
      lastId += 1;
      const source = preset === null ? `rule ${lastId}` : `rule ${lastId} (${preset})`;
      const fault = createFault(rule, source);
      const active = { id: lastId, preset, rule, fault, matched: 0, applied: 0 };
      rules.push(active);
      return toFaultRule(active);
    },

    list: () => rules.map(toFaultRule),

    clear(id) {
      const others = id === undefined ? [] : rules.filter((rule) => rule.id !== id);
      if (id === undefined) lastId = 0;
      else if (others.length === rules.length) throw unknownRule(id);
      rules = others;
    },

    resets,

    reset() {
      resets.emit("reset");
      this.clear();
    },

    apply: (request) =>
      rules.find((each) => isMatch(each.rule.match, request) && shouldApply(each))?.fault ?? null,
  };
}

function mergePreset(name: string, overrides: Partial<FaultSpec>): FaultSpec {
  if (!isFaultPreset(name)) {
    throw usageError("fault_invalid", `no preset ${quoteValue(name)}`, {
      hint: `use one of ${Object.keys(FAULT_PRESETS).join(", ")}`,
    });
  }
  const preset: FaultSpec = FAULT_PRESETS[name].rule;
  // parseRule refuses what is not an object.
  const merge = <T extends object>(base: T | undefined, given: T): T =>
    isRecord(given) ? { ...base, ...given } : given;
  const { match, then } = overrides;
  return {
    ...preset,
    ...overrides,
    ...(match !== undefined && { match: merge(preset.match, match) }),
    then: then === undefined ? preset.then : merge(preset.then, then),
  };
}

const toFaultRule = ({ id, preset, rule, matched, applied }: ActiveRule): FaultRule => ({
  id,
  preset,
  ...rule,
  description: describeFault(rule.phase, rule.then),
  matched,
  applied,
});

export const unknownRule = (id: number | string) =>
  notFoundError("fault_not_found", `no fault rule ${id}`, {
    hint: "list the rules; the ids start at 1 again after all are cleared",
  });

const createFault = (
  { phase, then }: { readonly phase: FaultPhase; readonly then: FaultEffect },
  source: string,
): Fault => ({
  phase,
  delayMs: parseDuration(then.delay ?? "0s") ?? 0,
  then,
  source,
  description: `${source}: ${describeFault(phase, then)}`,
});

function describeFault(phase: FaultPhase, then: FaultEffect): string {
  const parts: Readonly<Record<keyof FaultEffect, unknown>> = {
    delay: then.delay && `delay ${then.delay}`,
    status: then.status,
    retryAfter: then.retryAfter !== undefined && `Retry-After ${then.retryAfter}`,
    reset: then.reset && "connection reset",
    hang: then.hang && "no response",
    truncate: then.truncate && "half a body",
  };
  return `${Object.values(parts).filter(Boolean).join(", ")} ${phase} the work`;
}

interface MatchableRequest {
  readonly operation: string;
  readonly method: string;
}

const isMatch = ({ operation, method }: FaultMatch, request: MatchableRequest): boolean =>
  (operation === undefined || request.operation === operation) &&
  (method === undefined || request.method === method);
