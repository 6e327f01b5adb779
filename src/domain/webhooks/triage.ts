import type { Explanation } from "./explain/explain.ts";

/** What the deliveries of a group can have in common. The first one that separates a group is named. */
export const FACETS = ["sender", "endpoint", "event", "contentType", "size"] as const;
export type Facet = (typeof FACETS)[number];

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
  readonly facets: Readonly<Partial<Record<Facet, string>>>;
  /** In lower case. */
  readonly headerNames: readonly string[];
}

export interface TriageGroup {
  /** The same causes, sorted. Empty if no known cause fits. */
  readonly causes: readonly string[];
  readonly verdict: Explanation["verdict"];
  readonly count: number;
  /** A delivery of the group: the first one that was read. */
  readonly example: string;
  readonly firstAt: string | null;
  readonly lastAt: string | null;
  /** What all deliveries of the group have and no valid one has; null if nothing separates them. */
  readonly onlyWith: { readonly facet: Facet | "header" | "withoutHeader"; readonly value: string } | null;
  /** Valid deliveries before the first one of the group, between, and after the last one; null without times. */
  readonly valid: { readonly before: number; readonly between: number; readonly after: number } | null;
  /** Median of the group, in seconds: positive if the receiver's clock is ahead. */
  readonly clockOffset: number | null;
}

export interface TriageReport {
  readonly total: number;
  readonly valid: number;
  /** The largest first. */
  readonly groups: readonly TriageGroup[];
}

/** With fewer deliveries on either side, what they have in common is a coincidence. */
const MIN_TO_SEPARATE = 3;

/** Counts deliveries by their causes, and finds what separates those of a cause from the valid ones. */
export class Triage {
  readonly #valid = new Population();
  readonly #groups = new Map<string, Population>();

  add(delivery: TriagedDelivery): void {
    const { verdict, causes } = delivery;
    if (verdict === "valid") {
      this.#valid.add(delivery);
      return;
    }
    const key = JSON.stringify([verdict, ...causes]);
    const group = this.#groups.get(key) ?? new Population();
    this.#groups.set(key, group);
    group.add(delivery);
  }

  report(): TriageReport {
    const groups = [...this.#groups.values()].map((group) => group.compare(this.#valid));
    return {
      total: groups.reduce((sum, { count }) => sum + count, this.#valid.count),
      valid: this.#valid.count,
      groups: groups.sort((one, other) => other.count - one.count),
    };
  }
}

/** Deliveries of one result, as counts. */
class Population {
  count = 0;
  #first: TriagedDelivery | null = null;
  readonly #times: number[] = [];
  readonly #clockOffsets: number[] = [];
  readonly #facets = new Map<Facet, Map<string, number>>();
  readonly #headers = new Map<string, number>();

  add(delivery: TriagedDelivery): void {
    this.count += 1;
    this.#first ??= delivery;
    if (delivery.time !== null) this.#times.push(delivery.time);
    if (delivery.clockOffset !== null) this.#clockOffsets.push(delivery.clockOffset);
    for (const facet of FACETS) {
      const value = delivery.facets[facet];
      if (value === undefined) continue;
      const counts = this.#facets.get(facet) ?? new Map<string, number>();
      this.#facets.set(facet, counts);
      increment(counts, value);
    }
    for (const name of new Set(delivery.headerNames)) increment(this.#headers, name);
  }

  compare(valid: Population): TriageGroup {
    const first = this.#first;
    if (!first) throw new Error("a group has at least one delivery");
    const times = this.#times.length === this.count ? this.#times.toSorted(compareNumbers) : [];
    const [firstAt = null] = times;
    const lastAt = times.at(-1) ?? null;
    return {
      causes: first.causes,
      verdict: first.verdict,
      count: this.count,
      example: first.source,
      firstAt: toIso(firstAt),
      lastAt: toIso(lastAt),
      onlyWith: Math.min(this.count, valid.count) < MIN_TO_SEPARATE ? null : this.#findSeparator(valid),
      valid: firstAt === null || lastAt === null ? null : valid.#countAround(firstAt, lastAt),
      clockOffset: median(this.#clockOffsets),
    };
  }

  #findSeparator(valid: Population): TriageGroup["onlyWith"] {
    for (const facet of FACETS)
      for (const [value, count] of this.#facets.get(facet) ?? [])
        if (count === this.count && !valid.#facets.get(facet)?.has(value)) return { facet, value };
    for (const [value, count] of this.#headers)
      if (count === this.count && !valid.#headers.has(value)) return { facet: "header", value };
    for (const [value, count] of valid.#headers)
      if (count === valid.count && !this.#headers.has(value)) return { facet: "withoutHeader", value };
    return null;
  }

  #countAround(from: number, to: number) {
    if (this.#times.length < this.count) return null;
    const before = this.#times.filter((time) => time < from).length;
    const after = this.#times.filter((time) => time > to).length;
    return { before, between: this.count - before - after, after };
  }
}

const compareNumbers = (one: number, other: number): number => one - other;

const increment = (counts: Map<string, number>, value: string): void =>
  void counts.set(value, (counts.get(value) ?? 0) + 1);

const toIso = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());

const median = (values: readonly number[]): number | null =>
  values.toSorted(compareNumbers)[Math.floor(values.length / 2)] ?? null;
