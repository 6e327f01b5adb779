import {
  type ContractField,
  type ContractFields,
  type DescribedOperation,
  parseOperations,
} from "./parse-operations.ts";

/**
 * What a difference means to a client that was made for the first document: it `breaks`, it `changes` something, or it
 * only `adds`. A change of a field that is only assumed never breaks: this client does without it.
 */
export type Effect = "breaks" | "changes" | "adds";

export interface Difference {
  /** `POST /v1/…` */
  readonly operation: string;
  /** As in `response data[].status`; empty for the operation itself. */
  readonly location: string;
  readonly effect: Effect;
  readonly message: string;
}

type OperationDifference = Omit<Difference, "operation">;

/** The differences of the second document, operation by operation, in the order of the first. */
export function compareContracts(
  oldDocument: Readonly<Record<string, unknown>>,
  newDocument: Readonly<Record<string, unknown>>,
): Difference[] {
  const [before, after] = [parseOperations(oldDocument), parseOperations(newDocument)];
  return unionKeys(before, after).flatMap((operation) =>
    compareOperations(before.get(operation), after.get(operation)).map((found) => ({ operation, ...found })),
  );
}

const unionKeys = (one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): string[] => [
  ...new Set([...one.keys(), ...other.keys()]),
];

function compareOperations(
  before: DescribedOperation | undefined,
  after: DescribedOperation | undefined,
): OperationDifference[] {
  if (!after) return [{ location: "", effect: "breaks", message: "the operation is gone" }];
  if (!before) return [{ location: "", effect: "adds", message: "the operation is new" }];
  const differences = [
    ...compareFields("parameter", before.parameters, after.parameters),
    ...compareContent("request", before, after),
    ...compareContent("response", before, after),
  ];
  if (before.statuses.join() === after.statuses.join()) return differences;
  const success = after.statuses.join(", ") || "not described";
  const message = `success is ${success}, was ${before.statuses.join(", ")}`;
  return [...differences, { location: "status", effect: "changes", message }];
}

function compareContent(
  place: "request" | "response",
  { [place]: before }: DescribedOperation,
  { [place]: after }: DescribedOperation,
): OperationDifference[] {
  return unionKeys(before, after).flatMap((type): OperationDifference[] => {
    const [old, now] = [before.get(type), after.get(type)];
    if (old && now) return compareFields(place, old, now);
    if (old) return [{ location: place, effect: "breaks", message: `${type} is gone` }];
    const isFirstBody = place === "request" && before.size === 0;
    return [{ location: place, effect: isFirstBody ? "changes" : "adds", message: `${type} is new` }];
  });
}

type Place = "parameter" | "request" | "response";

const compareFields = (place: Place, before: ContractFields, after: ContractFields): OperationDifference[] =>
  unionKeys(before, after).flatMap((name) =>
    compareField(place, before.get(name), after.get(name)).map(([effect, message]) => ({
      location: `${place} ${name}`,
      effect,
      message,
    })),
  );

function compareField(
  place: Place,
  before: ContractField | undefined,
  after: ContractField | undefined,
): (readonly [Effect, string])[] {
  const isResponse = place === "response";
  if (!before)
    return !isResponse && after?.required ? [["breaks", "is new, and required"]] : [["adds", "is new"]];
  // A client must not rely on what is only assumed (product.md §2).
  const effect = isResponse && before.basis === "assumed" ? "changes" : "breaks";
  if (!after && place === "request") return [["breaks", "is no longer accepted"]];
  if (!after) return [[place === "parameter" ? "changes" : effect, "is gone"]];
  const found: (readonly [Effect, string])[] = [];
  if (!isResponse && after.required && !before.required) found.push(["breaks", "is required now"]);
  const [old, now] = [before.types.join(" or "), after.types.join(" or ")];
  if (old !== now && old !== "" && now !== "") found.push([effect, `is ${now}, was ${old}`]);
  if (isResponse && before.required && !after.required) found.push(["changes", "may be missing now"]);
  if (!before.values || !after.values) return found;
  const [from, to] = isResponse ? [after.values, before.values] : [before.values, after.values];
  const values = from.filter((value) => !to.includes(value)).join(", ");
  if (values !== "")
    found.push(isResponse ? ["changes", `may be ${values} now`] : ["breaks", `no longer accepts ${values}`]);
  return found;
}
