import type { TriagedDelivery } from "./triage.ts";

/** A field and its value in a group; a value of null is a field that the group does not have. */
export interface Separator {
  readonly field: string;
  readonly value: string | null;
  /** Whether the group is everything but this value. */
  readonly isOther: boolean;
}

/** Facts of a body that a program prints in another way. */
export const ESCAPES_FACT = "a body with escapes";
export const NUMBERS_FACT = "a body with numbers such as 1.0";
export const WHITE_SPACE_FACT = "a body with white space between its parts";

/** With fewer deliveries on either side, what they have in common is a coincidence. */
const MIN_TO_SEPARATE = 5;
const MIN_SHARE = 0.95;

/** More values are those of an id. */
const MAX_VALUES = 64;
const MAX_FIELDS = 400;

/** Deliveries of one result, as counts. */
export class Population {
  count = 0;
  first: TriagedDelivery | null = null;
  readonly fields = new Map<string, Map<string, number>>();
  readonly #times: number[] = [];
  readonly #clockOffsets: number[] = [];
  readonly #sizes: number[] = [];

  add(delivery: TriagedDelivery): void {
    this.count += 1;
    this.first ??= delivery;
    if (delivery.time !== null) this.#times.push(delivery.time);
    if (delivery.clockOffset !== null) this.#clockOffsets.push(delivery.clockOffset);
    this.#sizes.push(delivery.bodyBytes);
    for (const [field, value] of delivery.facts) {
      const values = this.fields.get(field) ?? new Map<string, number>();
      if (this.fields.size < MAX_FIELDS) this.fields.set(field, values);
      const counted = values.has(value) || values.size < MAX_VALUES ? value : OTHER_VALUES;
      values.set(counted, (values.get(counted) ?? 0) + 1);
    }
  }

  /** The first time and the last; null if not every delivery has one. */
  get timeRange(): readonly [number, number] | null {
    if (this.count === 0 || this.#times.length < this.count) return null;
    return [
      this.#times.reduce((one, other) => Math.min(one, other)),
      this.#times.reduce((one, other) => Math.max(one, other)),
    ];
  }

  get clockOffset(): number | null {
    return quantile(this.#clockOffsets, 0.5);
  }

  sizeAt(share: number): number | null {
    return quantile(this.#sizes, share);
  }

  countAround(from: number, to: number) {
    if (this.#times.length < this.count) return null;
    const before = this.#times.filter((time) => time < from).length;
    const after = this.#times.filter((time) => time > to).length;
    return { before, between: this.count - before - after, after };
  }
}

const OTHER_VALUES = "\0";

const quantile = (values: readonly number[], share: number): number | null =>
  values.toSorted((one, other) => one - other)[
    Math.min(Math.floor(values.length * share), values.length - 1)
  ] ?? null;

/** Fields that people know by name come before others, and headers last. */
const rankOf = (field: string): number => {
  if (field.startsWith("a body") || field === "body size") return 5;
  if (field.startsWith("word ")) return 4;
  if (field.startsWith("header ")) return 3;
  if (/(?:host|hostname|instance|pod|server|node)$/i.test(field)) return 0;
  return KNOWN_NAME.test(field) ? 1 : 2;
};

const KNOWN_NAME =
  /(?:ip|addr|address|region|zone|version|release|endpoint|path|url|uri|event|proxy|container|service)$/i;

/** What nearly all of the group have and nearly none of the good ones, or the other way round. */
export function findSeparators(group: Population, good: Population): readonly Separator[] {
  if (Math.min(group.count, good.count) < MIN_TO_SEPARATE) return [];
  const isMost = (count: number, of: Population) => count / of.count >= MIN_SHARE;
  const found: Separator[] = [];
  for (const field of new Set([...group.fields.keys(), ...good.fields.keys()])) {
    const [here, there] = [group.fields.get(field), good.fields.get(field)];
    const [has, has2] = [sumOf(here), sumOf(there)];
    if (isMost(group.count - has, group) && isMost(has2, good))
      found.push({ field, value: null, isOther: false });
    else if (isMost(has, group) && isMost(good.count - has2, good) && (here?.size ?? 0) > 1)
      found.push({ field, value: null, isOther: true });
    for (const [value, count] of here ?? []) {
      const isHere = value !== OTHER_VALUES && isMost(count, group);
      if (isHere && isMost(good.count - (there?.get(value) ?? 0), good))
        found.push({ field, value, isOther: false });
    }
    for (const [value, count] of there ?? []) {
      const isThere = value !== OTHER_VALUES && isMost(count, good);
      if (!isThere || !isMost(has - (here?.get(value) ?? 0), group)) continue;
      if (!found.some((each) => each.field === field)) found.push({ field, value, isOther: true });
    }
  }
  // A cause already says what is special about the body.
  if (group.first && group.first.verdict !== "valid")
    return sortByRank(found.filter(({ field }) => !field.startsWith("a body")));
  const [small, large] = [group.sizeAt(1 - MIN_SHARE), good.sizeAt(MIN_SHARE)];
  if (small !== null && large !== null && small > large)
    found.push({ field: "body size", value: `${small} bytes and more`, isOther: false });
  return sortByRank(found);
}

const sortByRank = (found: readonly Separator[]): readonly Separator[] =>
  found.toSorted((one, other) => rankOf(one.field) - rankOf(other.field));

const sumOf = (values: ReadonlyMap<string, number> | undefined): number =>
  [...(values?.values() ?? [])].reduce((sum, count) => sum + count, 0);
