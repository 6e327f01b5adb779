import { type ContractField, type DescribedOperation, parseOperations } from "./parse-operations.ts";

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
  readonly location: string;
  readonly effect: Effect;
  /** In words. */
  readonly message: string;
}

type FoundDifference = Omit<Difference, "operation">;

/** What is different in the second document, operation by operation, in the order of the first. */
export function compareContracts(
  oldDocument: Readonly<Record<string, unknown>>,
  newDocument: Readonly<Record<string, unknown>>,
): Difference[] {
  const [before, after] = [parseOperations(oldDocument), parseOperations(newDocument)];
  const differences: Difference[] = [];
  for (const [name, operation] of before) {
    const other = after.get(name);
    const found = other ? compareOperations(operation, other) : [REMOVED];
    differences.push(...found.map((difference) => ({ operation: name, ...difference })));
  }
  for (const name of after.keys())
    if (!before.has(name))
      differences.push({ operation: name, location: "", effect: "adds", message: "the operation is new" });
  return differences;
}

const REMOVED: FoundDifference = { location: "", effect: "breaks", message: "the operation is gone" };

function compareOperations(before: DescribedOperation, after: DescribedOperation): FoundDifference[] {
  return [
    ...compareNames("parameter", before.parameters, after.parameters, compareParameter),
    ...compareContent("request", before.request, after.request, compareRequestField),
    ...compareContent("response", before.response, after.response, compareResponseField),
    ...compareStatuses(before.statuses, after.statuses),
  ];
}

function compareStatuses(before: readonly string[], after: readonly string[]): FoundDifference[] {
  if (before.join() === after.join()) return [];
  const what = `success is ${after.join(", ") || "not described"}, was ${before.join(", ")}`;
  return [{ location: "status", effect: "changes", message: what }];
}

/** What becomes of a name on either side; undefined: it is not there. */
type FieldComparison = (
  before: ContractField | undefined,
  after: ContractField | undefined,
) => Omit<FoundDifference, "location">[];

function compareNames(
  what: string,
  before: ReadonlyMap<string, ContractField>,
  after: ReadonlyMap<string, ContractField>,
  judge: FieldComparison,
): FoundDifference[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name) =>
    judge(before.get(name), after.get(name)).map((found) => ({ location: `${what} ${name}`, ...found })),
  );
}

type Content = ReadonlyMap<string, ReadonlyMap<string, ContractField>>;

function compareContent(
  what: "request" | "response",
  before: Content,
  after: Content,
  judge: FieldComparison,
): FoundDifference[] {
  const types = [...new Set([...before.keys(), ...after.keys()])];
  return types.flatMap((type): FoundDifference[] => {
    const [old, now] = [before.get(type), after.get(type)];
    if (old && now) return compareNames(what, old, now, judge);
    if (old) return [{ location: what, effect: "breaks", message: `${type} is gone` }];
    const isForced = what === "request" && before.size === 0;
    return [{ location: what, effect: isForced ? "changes" : "adds", message: `${type} is new` }];
  });
}

const compareParameter: FieldComparison = (before, after) => {
  if (!after) return [{ effect: "changes", message: "is gone" }];
  if (!before) return [newInput(after)];
  return compareInput(before, after);
};

const compareRequestField: FieldComparison = (before, after) => {
  if (!after) return [{ effect: "breaks", message: "is no longer taken" }];
  if (!before) return [newInput(after)];
  return compareInput(before, after);
};

const newInput = ({ required }: ContractField): Omit<FoundDifference, "location"> =>
  required ? { effect: "breaks", message: "is new, and required" } : { effect: "adds", message: "is new" };

function compareInput(before: ContractField, after: ContractField): Omit<FoundDifference, "location">[] {
  const lost = before.values?.filter((value) => after.values && !after.values.includes(value)) ?? [];
  return [
    ...(after.required && !before.required
      ? [{ effect: "breaks", message: "is required now" } as const]
      : []),
    ...compareTypes(before, after, "breaks"),
    ...(lost.length > 0
      ? [{ effect: "breaks", message: `no longer takes ${lost.join(", ")}` } as const]
      : []),
  ];
}

const compareResponseField: FieldComparison = (before, after) => {
  if (!before) return [{ effect: "adds", message: "is new" }];
  // Nobody may rely on what is only assumed (product.md §2).
  const effect = before.basis === "assumed" ? "changes" : "breaks";
  if (!after) return [{ effect, message: "is gone" }];
  const more = after.values?.filter((value) => before.values && !before.values.includes(value)) ?? [];
  return [
    ...compareTypes(before, after, effect),
    ...(before.required && !after.required
      ? [{ effect: "changes", message: "may be missing now" } as const]
      : []),
    ...(more.length > 0 ? [{ effect: "changes", message: `may be ${more.join(", ")} now` } as const] : []),
  ];
};

function compareTypes(
  before: ContractField,
  after: ContractField,
  effect: Effect,
): Omit<FoundDifference, "location">[] {
  const [old, now] = [before.types.join(" or "), after.types.join(" or ")];
  // What a document does not say is no difference.
  return old === now || old === "" || now === "" ? [] : [{ effect, message: `is ${now}, was ${old}` }];
}
