import { assessService } from "./assess.ts";
import type { Facts, ObservedService } from "./observed-service.ts";
import { MAX_WORDS } from "./shape.ts";
import { keepCurrentPlaces } from "./staleness.ts";

/** Joins entries about the same thing: counts are added, forms and words collected, the last request is kept. */
export function mergeEntries(...all: readonly Facts[]): Facts {
  const join = <Name extends keyof Facts>(
    name: Name,
    keyOf: (entry: Facts[Name][number]) => readonly unknown[],
    merge: (one: Facts[Name][number], other: Facts[Name][number]) => Facts[Name][number],
  ) => {
    const found = new Map<string, Facts[Name][number]>();
    for (const entry of all.flatMap((facts) => facts[name] as Facts[Name][number][])) {
      const key = JSON.stringify(keyOf(entry));
      const earlier = found.get(key);
      found.set(key, earlier ? merge(earlier, entry) : entry);
    }
    return [...found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry);
  };
  return {
    responses: join(
      "responses",
      (it) => [it.operation, it.template, it.status, it.wrapper, it.list?.items ?? null],
      (one, other) => ({
        ...later(one, other),
        headers: union(one.headers, other.headers),
        paging: other.paging ?? one.paging,
        list: one.list &&
          other.list && {
            items: one.list.items,
            order: mergeOrder(one.list.order, other.list.order),
          },
      }),
    ),
    fields: join(
      "fields",
      (it) => [it.place, it.field, it.operation, it.status, it.name],
      (one, other) => ({
        ...later(one, other),
        forms: union(one.forms, other.forms),
        words: limitWords(union(one.words, other.words)),
      }),
    ),
    unknownFields: join(
      "unknownFields",
      (it) => [it.place, it.name],
      (one, other) => ({ ...one, forms: union(one.forms, other.forms) }),
    ),
    otherFields: join(
      "otherFields",
      (it) => [it.place],
      (one, other) => ({ ...one, count: Math.max(one.count, other.count) }),
    ),
    completedStates: union(...all.map(({ completedStates }) => completedStates)),
    errors: join("errors", (it) => [it.operation, it.status, it.form], later),
    deliveries: join(
      "deliveries",
      (it) => [it.payload, it.headerCase, it.timestamp],
      (one, other) => ({ ...one, count: one.count + other.count }),
    ),
  };
}

/** Joins what was learned in two runs; the later contract counts. */
export function mergeServices(earlier: ObservedService, later: ObservedService): ObservedService {
  // Facts of another contract hold where its places still exist.
  const isSame = earlier.contractHash === later.contractHash;
  const merged = mergeEntries(isSame ? earlier : keepCurrentPlaces(earlier), later);
  const document = later.document ?? earlier.document;
  return {
    ...later,
    serviceContractHash: later.serviceContractHash ?? earlier.serviceContractHash,
    firstAt: earlier.firstAt < later.firstAt ? earlier.firstAt : later.firstAt,
    lastAt: earlier.lastAt > later.lastAt ? earlier.lastAt : later.lastAt,
    ...((later.isPartial ?? earlier.isPartial) !== undefined && {
      isPartial: later.isPartial ?? earlier.isPartial,
    }),
    ...merged,
    ...(document && { document }),
    ...assessService({ ...merged, document }),
  };
}

const limitWords = (words: string[]): string[] => (words.length > MAX_WORDS ? [] : words);

const union = (...lists: readonly (readonly string[])[]): string[] => [...new Set(lists.flat())].sort();

function later<E extends { readonly count: number; readonly lastAt: string }>(one: E, other: E): E {
  return { ...(other.lastAt >= one.lastAt ? other : one), count: one.count + other.count };
}

function mergeOrder<Order extends string>(
  one: Order | null,
  other: Order | null,
): Order | "unordered" | null {
  if (one === null || other === null) return one ?? other;
  return one === other ? one : "unordered";
}
