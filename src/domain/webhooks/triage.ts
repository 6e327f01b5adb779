import { headerValues } from "../http-headers.ts";
import { type Doubt, listDoubts } from "./doubts.ts";
import { labelCause } from "./explain/causes.ts";
import type { Explanation } from "./explain/explain-signature.ts";
import { TIMESTAMP_HEADER } from "./headers.ts";
import { isAccepted } from "./input-formats/logged-delivery.ts";
import type { FoundDelivery } from "./input-formats/read-document.ts";
import { isDigest } from "./input-formats/signature-values.ts";
import { parseTimestamp } from "./timestamp.ts";

/** A verified delivery, without its body. */
export type TriagedDelivery = Readonly<ReturnType<typeof toTriaged>>;

/** Whether the delivery verifies, whatever the receiver computed. A stale one is not valid for triage. */
export const isDeliveryValid = ({ verdict, isDeliveryRight }: Explanation): boolean =>
  verdict === "valid" || (isDeliveryRight && verdict === "mismatch");

/** A log can have local times, which are no further off. */
const MAX_ZONE_SECONDS = 86_400;

/** @param repeat what says that it is another one again; null without that */
export function toTriaged(delivery: FoundDelivery, explanation: Explanation, repeat: Doubt | null) {
  const { source, headers, receivedAt, status, isRefused } = delivery;
  const { causes } = explanation;
  const sorted = causes.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const signedAt = parseTimestamp(headerValues(headers, TIMESTAMP_HEADER)[0] ?? "");
  const clockOffset =
    receivedAt === null || signedAt === null ? null : Math.round((receivedAt - signedAt) / 1000);
  return {
    /** Where it was read: `app.log:17`. */
    source,
    verdict: isDeliveryValid(explanation) ? ("valid" as const) : explanation.verdict,
    /** Whether the record says so, or has another signature that the receiver computed. */
    isRefused: isRefused || (!isAccepted(status) && isDeliveryValid(explanation) && causes.length > 0),
    causes: sorted.map(labelCause),
    /** Who must act for each cause, and what. */
    actions: sorted.map(({ actor, fix }) => ({ actor, fix })),
    /** Milliseconds since 1970. */
    time: receivedAt ?? signedAt,
    /** Seconds from the signed timestamp to the receiver's time; null if the input has only one of them. */
    clockOffset,
    /** What the receiver answered; null if the record does not say. */
    status,
    /** What speaks against it although it verifies. */
    doubts: [...listDoubts(delivery), repeat ?? []]
      .flat()
      .filter(({ kind }) => kind !== "arrived_late" || Math.abs(clockOffset ?? 0) > MAX_ZONE_SECONDS),
    /** Every field of the record and every header, by its name. */
    facts: new Map(listFacts(delivery)),
  };
}

/** Fields that follow from the result, that are different in each record, or that may be a credential. */
const LEFT_OUT =
  /status|level|severity|response|(?:^|[._ -])(?:res|resp|reply|err|error|msg|message|duration|elapsed|latency|took|time|ts|timestamp|date|outcome|result|ok|success|body|id|uuid|ray|trace|span|nonce)(?:[._ -]|$)|error|valid|accepted|refused|(?:epoch|_at|At|Id|ID|Time|Ms|bytes|length|signature)$|authorization|cookie|token|secret|password|api-?key/i;

/** Without its query, which can hold a secret. */
const removeQuery = (text: string): string => text.replace(/(?<=[/\w])[?#].*$/s, "");

/** What deliveries can be separated by: the fields of the record, and the headers. */
function* listFacts({ facts, headers }: FoundDelivery): Generator<[name: string, text: string]> {
  for (const [name, text] of facts)
    if ((!LEFT_OUT.test(name) || isReceiverField(name)) && !isDigest(text)) yield [name, removeQuery(text)];
  for (const [name, value] of headers)
    if (!LEFT_OUT.test(name)) yield [`header ${name.toLowerCase()}`, removeQuery(value)];
}

/** A value of a field that the group has. */
export interface Separator {
  readonly field: string;
  readonly value: string;
}

/** With fewer deliveries on either side, what they have in common is a coincidence, unless it is a receiver. */
const MIN_TO_SEPARATE = 5;
const MIN_SHARE = 0.95;
const MAX_SHARE = 0.05;

/** More values are those of an id. */
const MAX_VALUES = 64;
const MAX_FIELDS = 400;

/** Deliveries of one result, as counts. */
class Population {
  count = 0;
  first: TriagedDelivery | null = null;
  /** The causes that all deliveries of the group have. */
  causes: readonly string[] = [];
  readonly fields = new Map<string, Map<string, number>>();
  readonly #times: number[] = [];
  readonly #clockOffsets: number[] = [];

  add(delivery: TriagedDelivery): void {
    this.count += 1;
    this.causes = this.first
      ? this.causes.filter((cause) => delivery.causes.includes(cause))
      : delivery.causes;
    this.first ??= delivery;
    if (delivery.time !== null) this.#times.push(delivery.time);
    if (delivery.clockOffset !== null) this.#clockOffsets.push(delivery.clockOffset);
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

  /**
   * The median of the group, in seconds, and whether several deliveries are equally far off, as by a clock: a late delivery proves
   * nothing of one.
   */
  get clock() {
    const sorted = this.#clockOffsets.toSorted((one, other) => one - other);
    return {
      /** Positive if the receiver's clock is ahead. */
      clockOffset: sorted[Math.floor(sorted.length / 2)] ?? null,
      isClockConstant: sorted.length > 1 && (sorted.at(-1) ?? 0) - (sorted[0] ?? 0) < SAME_OFFSET_SECONDS,
    };
  }

  /** How many are before the times, between them, and after; null without times. */
  countAround(range: readonly [number, number] | null) {
    if (range === null || this.#times.length < this.count) return null;
    const [from, to] = range;
    const before = this.#times.filter((time) => time < from).length;
    const after = this.#times.filter((time) => time > to).length;
    return { before, between: this.count - before - after, after };
  }
}

/** Deliveries by one clock differ by their ways. */
const SAME_OFFSET_SECONDS = 60;

const OTHER_VALUES = "\0";

/** A receiver comes before other fields, and headers last. */
const rankOf = (field: string): number => {
  if (field.startsWith("header ")) return 2;
  return isReceiverField(field) ? 0 : 1;
};

/** Which of several receivers it was: an instance, or where and in which version it runs. */
const RECEIVER =
  /(?:^|[._ -])(?:host|hostname|instance|instance[._-]?id|pod|pod[._-]?name|replica|container|pid|node|env|environment|stage|region|zone|version|release|revision)$/i;
const isReceiverField = (field: string): boolean => RECEIVER.test(field);

/** Even two are no coincidence if they are all that a receiver refused, and it accepted none. */
const MIN_OF_RECEIVER = 2;

/** What nearly all of the group have, and nearly none of the good ones; of few deliveries only a receiver. */
function findSeparators(group: Population, good: Population): readonly Separator[] {
  const count = Math.min(group.count, good.count);
  const isFew = count < MIN_TO_SEPARATE;
  if (count < MIN_OF_RECEIVER) return [];
  return [...group.fields]
    .filter(([field]) => !isFew || isReceiverField(field))
    .flatMap(([field, values]) => [...values].map(([value, ofGroup]) => ({ field, value, ofGroup })))
    .filter(({ field, value, ofGroup }) => {
      const ofGood = good.fields.get(field)?.get(value) ?? 0;
      return value !== OTHER_VALUES && ofGroup >= group.count * MIN_SHARE && ofGood <= good.count * MAX_SHARE;
    })
    .map(({ field, value }) => ({ field, value }))
    .toSorted((one, other) => rankOf(one.field) - rankOf(other.field));
}

interface DoubtGroup extends Doubt {
  readonly count: number;
  readonly example: string;
}

export type TriageGroup = ReturnType<typeof compare>;
export type TriageReport = ReturnType<Triage["report"]>;

/** Counts deliveries by their causes, and finds what separates those of a cause from the good ones. */
export class Triage {
  readonly #all = new Population();
  readonly #valid = new Population();
  readonly #accepted = new Population();
  readonly #refused = new Population();
  readonly #groups = new Map<string, Population>();
  readonly #otherResponses: Record<string, number> = {};
  readonly #doubts = new Map<Doubt["kind"], DoubtGroup>();

  add(delivery: TriagedDelivery): void {
    const { verdict, causes, status, isRefused } = delivery;
    this.#all.add(delivery);
    if (verdict !== "valid") {
      const key = JSON.stringify([verdict, ...causes]);
      const group = this.#groups.get(key) ?? new Population();
      this.#groups.set(key, group);
      group.add(delivery);
      return;
    }
    this.#valid.add(delivery);
    for (const doubt of delivery.doubts) this.#addDoubt(doubt, delivery.source);
    if (isRefused) {
      this.#refused.add(delivery);
      return;
    }
    this.#accepted.add(delivery);
    if (status !== null && !isAccepted(status))
      this.#otherResponses[status] = (this.#otherResponses[status] ?? 0) + 1;
  }

  #addDoubt(doubt: Doubt, source: string): void {
    const group = this.#doubts.get(doubt.kind) ?? { ...doubt, example: source, count: 0 };
    this.#doubts.set(doubt.kind, { ...group, count: group.count + 1 });
  }

  report() {
    const groups = [...this.#groups.values()].map((group) => compare(group, this.#valid));
    return {
      total: this.#all.count,
      valid: this.#valid.count,
      /** The largest group stands first. */
      groups: groups.sort((one, other) => other.count - one.count),
      /** Deliveries that verify, and that the receiver refused with 400, 401, 403 or 422, or in words; null without one. */
      refused: this.#refused.count > 0 ? compare(this.#refused, this.#accepted) : null,
      /** Other failures of the receiver for deliveries that verify, by status. */
      otherResponses: this.#otherResponses,
      /** What speaks against deliveries that verify, with the first one of each kind. */
      doubts: [...this.#doubts.values()],
      ...timesOf(this.#all),
    };
  }
}

function compare(group: Population, good: Population) {
  const { first } = group;
  if (!first) throw new Error("a group has at least one delivery");
  return {
    /** The same causes, sorted; of deliveries that verify those that all have. Empty if no known cause fits. */
    causes: group.causes,
    /** Who must act for each cause, and what. */
    actions: group.causes.length === first.causes.length ? first.actions : [],
    verdict: first.verdict,
    count: group.count,
    /** A delivery of the group: the first one that was read. */
    example: first.source,
    ...timesOf(group),
    /** What separates the group from the good ones, the most telling first; several explain it equally. */
    separators: findSeparators(group, good),
    /** Good deliveries before the first one of the group, between, and after the last one; null without times. */
    valid: good.countAround(group.timeRange),
    ...compareClocks(group.clock, good.clock),
  };
}

/** The clock of a group; it says nothing if the good deliveries are as far off. */
function compareClocks(clock: Population["clock"], { clockOffset: goodOffset }: Population["clock"]) {
  const { clockOffset } = clock;
  const isSame =
    clockOffset !== null && goodOffset !== null && Math.abs(clockOffset - goodOffset) < SAME_OFFSET_SECONDS;
  return isSame ? { clockOffset: null, isClockConstant: false } : clock;
}

function timesOf({ timeRange }: Population) {
  const [firstAt = null, lastAt = null] = (timeRange ?? []).map((time) => new Date(time).toISOString());
  return { firstAt, lastAt };
}
