import type { Explanation } from "./explain/explain.ts";
import { ESCAPES_FACT, findSeparators, NUMBERS_FACT, Population, WHITE_SPACE_FACT } from "./separators.ts";

/** A verified delivery, without its body. */
export interface TriagedDelivery {
  /** Where it was read: `app.log:17`. */
  readonly source: string;
  readonly verdict: Explanation["verdict"];
  /** `body.reserialized (proved)`. */
  readonly causes: readonly string[];
  /** Milliseconds since 1970. */
  readonly time: number | null;
  /** Seconds from the signed timestamp to the receiver's time; null if the input has only one of them. */
  readonly clockOffset: number | null;
  /** What the receiver answered; null if the record does not say. */
  readonly status: number | null;
  readonly bodyBytes: number;
  /** Every field of the record and every header, by its name. */
  readonly facts: ReadonlyMap<string, string>;
}

export type TriageGroup = ReturnType<typeof compare>;
export type TriageReport = ReturnType<Triage["report"]>;

/** What a receiver answers to a signature that it takes for wrong. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 422]);

/** Counts deliveries by their causes, and finds what separates those of a cause from the good ones. */
export class Triage {
  readonly #all = new Population();
  readonly #valid = new Population();
  readonly #accepted = new Population();
  readonly #refused = new Population();
  readonly #groups = new Map<string, Population>();
  readonly #otherResponses: Record<string, number> = {};

  add(delivery: TriagedDelivery): void {
    const { verdict, causes, status } = delivery;
    this.#all.add(delivery);
    if (verdict !== "valid") {
      const key = JSON.stringify([verdict, ...causes]);
      const group = this.#groups.get(key) ?? new Population();
      this.#groups.set(key, group);
      group.add(delivery);
      return;
    }
    this.#valid.add(delivery);
    if (status !== null && REFUSALS.has(status)) this.#refused.add(delivery);
    else this.#accepted.add(delivery);
    if (status !== null && status >= 300 && !REFUSALS.has(status))
      this.#otherResponses[status] = (this.#otherResponses[status] ?? 0) + 1;
  }

  report() {
    const groups = [...this.#groups.values()].map((group) => compare(group, this.#valid));
    return {
      total: this.#all.count,
      valid: this.#valid.count,
      /** The largest first. */
      groups: groups.sort((one, other) => other.count - one.count),
      /** Deliveries that verify, and that the receiver refused with 400, 401, 403 or 422; null without one. */
      refused: this.#refused.count > 0 ? compare(this.#refused, this.#accepted) : null,
      /** Other failures of the receiver for deliveries that verify, by status. */
      otherResponses: this.#otherResponses,
      ...timesOf(this.#all),
    };
  }
}

function compare(group: Population, good: Population) {
  const { first } = group;
  if (!first) throw new Error("a group has at least one delivery");
  const [from, to] = group.timeRange ?? [null, null];
  return {
    /** The same causes, sorted. Empty if no known cause fits, and for deliveries that verify. */
    causes: first.causes.length > 0 ? first.causes : guessCauses(group, good),
    verdict: first.verdict,
    count: group.count,
    /** A delivery of the group: the first one that was read. */
    example: first.source,
    ...timesOf(group),
    /** What separates the group from the good ones, the most telling first; several explain it equally. */
    separators: findSeparators(group, good),
    /** Good deliveries before the first one of the group, between, and after the last one; null without times. */
    valid: from === null || to === null ? null : good.countAround(from, to),
    /** Median of the group, in seconds: positive if the receiver's clock is ahead. */
    clockOffset: group.clockOffset,
  };
}

/** With fewer deliveries, bodies say little of a log. */
const MIN_TO_GUESS = 10;

/** Bytes that no program prints again as they were: with them in the bodies, the log has not changed these. */
const SHOW_ORIGINAL_BYTES = [WHITE_SPACE_FACT, ESCAPES_FACT, NUMBERS_FACT];

/** What many deliveries say together that no single one does. */
function guessCauses(group: Population, good: Population): readonly string[] {
  if (group.first?.verdict !== "mismatch" || group.count < MIN_TO_GUESS) return [];
  const isOriginal = SHOW_ORIGINAL_BYTES.some((fact) => (group.fields.get(fact)?.get("yes") ?? 0) > 0);
  if (isOriginal) return ["secret.another (likely)"];
  return good.count === 0 ? ["body.reserialized (likely)", "secret.another (likely)"] : [];
}

function timesOf({ timeRange }: Population) {
  const [firstAt = null, lastAt = null] = (timeRange ?? []).map((time) => new Date(time).toISOString());
  return { firstAt, lastAt };
}
