import { EventEmitter } from "node:events";
import { FAULT_PRESETS, type FaultPresetName, isFaultPreset } from "../../../src/contract/fault-presets.ts";
import type { FaultEffect, FaultMatch, FaultPhase, FaultSpec } from "../../../src/contract/fault-rules.ts";
import { parseDuration } from "../../../src/domain/duration.ts";
import { notFoundError, rejectedError, usageError } from "../../../src/domain/errors.ts";
import { isRecord, quoteValue } from "../../../src/domain/json.ts";
import { createRandomNumbers } from "../../../src/domain/random-numbers.ts";
import type { FaultRule, SandboxFaults } from "../../api/faults.ts";
import type { RandomSource } from "../random.ts";
import { parseRule, type ValidRule } from "./rule.ts";

/** Each request is compared with every rule. */
const MAX_RULES = 1_000;

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
  readonly matches: (request: MatchableRequest) => boolean;
  readonly fault: Fault;
  matched: number;
  applied: number;
}

export interface Faults extends SandboxFaults {
  readonly isEmpty: boolean;
  /** Counts a request. Returns the fault of the first rule that applies to it, or null. */
  apply(request: MatchableRequest): Fault | null;
  keepAsStart(): void;
  /** Returns to the rules of the start, without their counts. */
  reset(): void;
  /** A response that hangs ends with the next reset. */
  readonly resets: EventEmitter<{ reset: [] }>;
}

/** The rules by which requests to the service fail (product.md §5, Faults). */
export function createFaults(random: RandomSource): Faults {
  const salt = random.hex("faults", 16);
  let startRules: readonly ActiveRule[] = [];
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
      if (rules.length >= MAX_RULES) {
        throw rejectedError("too_many", `there are already ${MAX_RULES} fault rules`, {
          hint: "clear rules that you no longer need, or let one rule match many requests with * in its path",
        });
      }
      lastId += 1;
      const source = preset === null ? `rule ${lastId}` : `rule ${lastId} (${preset})`;
      const fault = createFault(rule, source);
      const matches = createMatcher(rule.match);
      const active = { id: lastId, preset, rule, matches, fault, matched: 0, applied: 0 };
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

    keepAsStart() {
      startRules = rules;
      this.reset();
    },

    resets,

    reset() {
      resets.emit("reset");
      rules = startRules.map((rule) => ({ ...rule, matched: 0, applied: 0 }));
      lastId = rules.at(-1)?.id ?? 0;
    },

    apply: (request) => rules.find((rule) => rule.matches(request) && shouldApply(rule))?.fault ?? null,
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
  readonly path: string;
  readonly method: string;
}

/** Makes a predicate of a rule's `match`. */
function createMatcher({ operation, path, method }: FaultMatch): (request: MatchableRequest) => boolean {
  const isPath = path === undefined ? null : createPathMatcher(path);
  return (request) =>
    (operation === undefined || request.operation === operation) &&
    (method === undefined || request.method === method) &&
    (isPath === null || isPath(request.path));
}

/** Not a regular expression: with many stars, one could take very long not to match. */
function createPathMatcher(pattern: string): (path: string) => boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return (path) => path === first;
  return (path) => {
    if (!path.startsWith(first)) return false;
    let from = first.length;
    for (const piece of rest) {
      const at = path.indexOf(piece, from);
      if (at === -1) return false;
      from = at + piece.length;
    }
    return path.length - last.length >= from && path.endsWith(last);
  };
}
