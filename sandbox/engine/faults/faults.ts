import { ClaimsError } from "../../../src/domain/errors.ts";
import type { FaultSpec } from "../../../src/domain/faults/fault.ts";
import { FAULT_PRESETS, type FaultPresetName, isFaultPreset } from "../../../src/domain/faults/presets.ts";
import { isRecord, quoteValue } from "../../../src/domain/json.ts";
import { createRandomNumbers } from "../../../src/domain/random-numbers.ts";
import type { FaultRule, SandboxFaults } from "../../api/faults.ts";
import type { RandomSource } from "../random.ts";
import { createFault, describeFault, type Fault } from "./fault.ts";
import { createMatcher, type MatchableRequest } from "./match.ts";
import { parseRule, type ValidRule } from "./rule.ts";

/** Rules at the same time; each request may be held against all of them. */
const MAX_RULES = 1_000;

/** A rule in force. */
interface ActiveRule {
  readonly id: number;
  readonly preset: FaultPresetName | null;
  readonly rule: ValidRule;
  readonly matches: (request: MatchableRequest) => boolean;
  readonly fault: Fault;
  matched: number;
  applied: number;
}

/** The rules by which requests to the service fail (product.md §5, Faults). */
export class Faults implements SandboxFaults {
  readonly #salt: string;
  #rules: ActiveRule[] = [];
  #lastId = 0;

  constructor(random: RandomSource) {
    this.#salt = random.hex("faults", 16);
  }

  get isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  add(given: FaultSpec | FaultPresetName, overrides: Partial<FaultSpec> = {}): FaultRule {
    const preset = typeof given === "string" ? given : null;
    const rule = parseRule(preset === null ? given : mergePreset(preset, overrides));
    if (this.#rules.length >= MAX_RULES) throw tooManyRules();
    this.#lastId += 1;
    const id = this.#lastId;
    const standing: ActiveRule = {
      id,
      preset,
      rule,
      matches: createMatcher(rule.match),
      fault: createFault(rule, preset === null ? `rule ${id}` : `rule ${id} (${preset})`),
      matched: 0,
      applied: 0,
    };
    this.#rules.push(standing);
    return toFaultRule(standing);
  }

  list(): readonly FaultRule[] {
    return this.#rules.map(toFaultRule);
  }

  clear(id?: number): void {
    if (id === undefined) {
      this.#rules = [];
      this.#lastId = 0;
      return;
    }
    const rest = this.#rules.filter((rule) => rule.id !== id);
    if (rest.length === this.#rules.length) throw unknownRule(id);
    this.#rules = rest;
  }

  /** What becomes of a request, and counts it; null where no rule has it fail. */
  apply(request: MatchableRequest): Fault | null {
    return this.#rules.find((rule) => rule.matches(request) && this.#shouldApply(rule))?.fault ?? null;
  }

  /** Drawn for each request of a rule on its own: what other rules are about must not matter. */
  #shouldApply(standing: ActiveRule): boolean {
    standing.matched += 1;
    const { id, matched, applied, rule } = standing;
    const { match, probability, skip, times } = rule;
    if (match.nth !== undefined && matched !== match.nth) return false;
    if (matched <= skip || (times !== null && applied >= times)) return false;
    const isDrawn =
      probability === 1 || createRandomNumbers(`${this.#salt}/${id}/${matched}`)() / 2 ** 32 < probability;
    if (isDrawn) standing.applied += 1;
    return isDrawn;
  }
}

/** A preset with what of it should be otherwise; its match and its effect stay where nothing is said of them. */
function mergePreset(name: string, overrides: Partial<FaultSpec>): FaultSpec {
  if (!isFaultPreset(name)) throw unknownPreset(name);
  const preset: FaultSpec = FAULT_PRESETS[name].rule;
  // What is no object is left to the check that says so.
  const onTop = <T extends object>(of: T | undefined, given: T): T =>
    isRecord(given) ? { ...of, ...given } : given;
  const { match, then } = overrides;
  return {
    ...preset,
    ...overrides,
    ...(match !== undefined && { match: onTop(preset.match, match) }),
    then: then === undefined ? preset.then : onTop(preset.then, then),
  };
}

const toFaultRule = ({ id, preset, rule, matched, applied }: ActiveRule): FaultRule => ({
  ...{ id, preset, ...rule },
  words: describeFault(rule.phase, rule.then),
  ...{ matched, applied },
});

export const unknownPreset = (name: unknown): ClaimsError =>
  new ClaimsError("usage", "fault_invalid", `there is no preset ${quoteValue(name)}`, {
    hint: `use one of ${Object.keys(FAULT_PRESETS).join(", ")}`,
  });

const tooManyRules = (): ClaimsError =>
  new ClaimsError("rejected", "too_many_faults", `there are ${MAX_RULES} fault rules, more there cannot be`, {
    hint: "clear those that are not needed any more, or let one rule do for many with * in its path",
  });

export const unknownRule = (id: number | string): ClaimsError =>
  new ClaimsError("not_found", "fault_not_found", `there is no fault rule ${id}`, {
    hint: "list them: ids begin at 1 again when all are cleared",
  });
