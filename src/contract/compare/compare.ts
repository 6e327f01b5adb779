import { type DescribedOperation, type Field, operationsIn } from "./document.ts";

/**
 * What a difference means to a client that was made for the first document: it `breaks`, it `changes` what is there, or
 * it only `adds`. A field that is only assumed changes, and never breaks: this client does without it.
 */
export type Effect = "breaks" | "changes" | "adds";

/** One difference between two documents. */
export interface Difference {
  /** `POST /v1/…` */
  readonly operation: string;
  /** Where in it, as in `answer data[].status`; empty for the operation itself. */
  readonly place: string;
  readonly effect: Effect;
  /** In words. */
  readonly what: string;
}

type Found = Omit<Difference, "operation">;

/** What is different in the second document, operation by operation, in the order of the first. */
export function compareContracts(
  ours: Readonly<Record<string, unknown>>,
  theirs: Readonly<Record<string, unknown>>,
): Difference[] {
  const [before, after] = [operationsIn(ours), operationsIn(theirs)];
  const differences: Difference[] = [];
  for (const [name, operation] of before) {
    const other = after.get(name);
    const found = other ? operationDifferences(operation, other) : [gone];
    differences.push(...found.map((difference) => ({ operation: name, ...difference })));
  }
  for (const name of after.keys())
    if (!before.has(name))
      differences.push({ operation: name, place: "", effect: "adds", what: "the operation is new" });
  return differences;
}

const gone: Found = { place: "", effect: "breaks", what: "the operation is gone" };

function operationDifferences(before: DescribedOperation, after: DescribedOperation): Found[] {
  return [
    ...named("parameter", before.parameters, after.parameters, parameterDifferences),
    ...contentDifferences("request", before.request, after.request, requestDifferences),
    ...contentDifferences("answer", before.answer, after.answer, answerDifferences),
    ...statusDifferences(before.statuses, after.statuses),
  ];
}

function statusDifferences(before: readonly string[], after: readonly string[]): Found[] {
  if (before.join() === after.join()) return [];
  const what = `success is ${after.join(", ") || "not described"}, was ${before.join(", ")}`;
  return [{ place: "status", effect: "changes", what }];
}

/** What becomes of a name on either side; undefined: it is not there. */
type Judge = (before: Field | undefined, after: Field | undefined) => Omit<Found, "place">[];

function named(
  what: string,
  before: ReadonlyMap<string, Field>,
  after: ReadonlyMap<string, Field>,
  judge: Judge,
): Found[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name) =>
    judge(before.get(name), after.get(name)).map((found) => ({ place: `${what} ${name}`, ...found })),
  );
}

type Content = ReadonlyMap<string, ReadonlyMap<string, Field>>;

function contentDifferences(
  what: "request" | "answer",
  before: Content,
  after: Content,
  judge: Judge,
): Found[] {
  const types = [...new Set([...before.keys(), ...after.keys()])];
  return types.flatMap((type): Found[] => {
    const [old, now] = [before.get(type), after.get(type)];
    if (old && now) return named(what, old, now, judge);
    if (old) return [{ place: what, effect: "breaks", what: `${type} is gone` }];
    const isForced = what === "request" && before.size === 0;
    return [{ place: what, effect: isForced ? "changes" : "adds", what: `${type} is new` }];
  });
}

const parameterDifferences: Judge = (before, after) => {
  if (!after) return [{ effect: "changes", what: "is gone" }];
  if (!before) return [newInput(after)];
  return inputDifferences(before, after);
};

const requestDifferences: Judge = (before, after) => {
  if (!after) return [{ effect: "breaks", what: "is no longer taken" }];
  if (!before) return [newInput(after)];
  return inputDifferences(before, after);
};

const newInput = ({ required }: Field): Omit<Found, "place"> =>
  required ? { effect: "breaks", what: "is new, and required" } : { effect: "adds", what: "is new" };

function inputDifferences(before: Field, after: Field): Omit<Found, "place">[] {
  const lost = before.values?.filter((value) => after.values && !after.values.includes(value)) ?? [];
  return [
    ...(after.required && !before.required ? [{ effect: "breaks", what: "is required now" } as const] : []),
    ...typeDifference(before, after, "breaks"),
    ...(lost.length > 0 ? [{ effect: "breaks", what: `no longer takes ${lost.join(", ")}` } as const] : []),
  ];
}

const answerDifferences: Judge = (before, after) => {
  if (!before) return [{ effect: "adds", what: "is new" }];
  // Nobody may rely on what is only assumed (product.md §2).
  const effect = before.basis === "assumed" ? "changes" : "breaks";
  if (!after) return [{ effect, what: "is gone" }];
  const more = after.values?.filter((value) => before.values && !before.values.includes(value)) ?? [];
  return [
    ...typeDifference(before, after, effect),
    ...(before.required && !after.required
      ? [{ effect: "changes", what: "may be missing now" } as const]
      : []),
    ...(more.length > 0 ? [{ effect: "changes", what: `may be ${more.join(", ")} now` } as const] : []),
  ];
};

function typeDifference(before: Field, after: Field, effect: Effect): Omit<Found, "place">[] {
  const [old, now] = [before.types.join(" or "), after.types.join(" or ")];
  // What a document does not say is no difference.
  return old === now || old === "" || now === "" ? [] : [{ effect, what: `is ${now}, was ${old}` }];
}
