import { EventEmitter } from "node:events";
import { FAULT_PRESETS, type FaultPresetName, isFaultPreset } from "../../../src/contract/fault-presets.ts";
import type { FaultEffect, FaultPhase, FaultSpec } from "../../../src/contract/fault-rules.ts";
import { parseDuration } from "../../../src/domain/duration.ts";
import { notFoundError, usageError } from "../../../src/domain/errors.ts";
import { isRecord, quoteValue } from "../../../src/domain/json.ts";
import { RandomNumbers } from "../../../src/domain/random-numbers.ts";
import type { FaultRule, SandboxFaults } from "../../api/faults.ts";
import type { RandomSource } from "../random.ts";
import { parseRule } from "./rule.ts";

/** A rule that applies to a request. */
export interface Fault extends Pick<FaultRule, "phase" | "then"> {
  /** Milliseconds of wall time. */
  readonly delayMs: number;
  /** Names the rule, as in `rule 3 (flaky)`. */
  readonly source: string;
  readonly description: string;
}

/** Its counts grow. */
type ActiveRule = { -readonly [Name in keyof FaultRule]: FaultRule[Name] };

export interface Faults extends SandboxFaults {
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
  const shouldApply = (rule: ActiveRule): boolean => {
    rule.matched += 1;
    const { id, matched, applied, probability, skip, times } = rule;
    if (matched <= skip || (times !== null && applied >= times)) return false;
    const isDrawn =
      probability === 1 || RandomNumbers.fromKey(`${salt}/${id}/${matched}`).fraction() < probability;
    if (isDrawn) rule.applied += 1;
    return isDrawn;
  };

  return {
    add(given: FaultSpec | FaultPresetName, overrides: Partial<FaultSpec> = {}) {
      const preset = typeof given === "string" ? given : null;
      const parsed = parseRule(preset === null ? given : mergePreset(preset, overrides));
      lastId += 1;
      const description = describeEffect(parsed.phase, parsed.then);
      const rule = { id: lastId, preset, ...parsed, description, matched: 0, applied: 0 };
      rules.push(rule);
      return { ...rule };
    },

    list: () => rules.map((rule) => ({ ...rule })),

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

    apply(request) {
      const rule = rules.find((each) => isMatch(each, request) && shouldApply(each));
      return rule ? toFault(rule) : null;
    },
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

export const unknownRule = (id: number | string) =>
  notFoundError("fault_not_found", `no fault rule ${id}`, {
    hint: "list the rules; the ids start at 1 again after all are cleared",
  });

function toFault({ id, preset, phase, then, description }: FaultRule): Fault {
  const source = preset === null ? `rule ${id}` : `rule ${id} (${preset})`;
  const delayMs = parseDuration(then.delay ?? "0s") ?? 0;
  return { phase, then, delayMs, source, description: `${source}: ${description}` };
}

function describeEffect(phase: FaultPhase, then: FaultEffect): string {
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

const isMatch = ({ match: { operation, method } }: FaultRule, request: MatchableRequest): boolean =>
  (operation === undefined || request.operation === operation) &&
  (method === undefined || request.method === method);
