import { isDeepStrictEqual } from "node:util";
import { groupBy } from "../../domain/group-by.ts";
import { asRecord, type Node } from "./contract-reader.ts";
import { type Part, type Parts, readContract, type Texts, type Verdict } from "./contract-tree.ts";
import { differBeyondWords, type Effect, isWords, judgeKeyword, type Role } from "./effects.ts";

export interface Difference {
  /** `POST /v1/…`; the path for what all of its operations have; `*` for the whole document. */
  readonly operation: string;
  /** As in `response data[].status`; empty for the operation itself. */
  readonly location: string;
  readonly effect: Effect;
  readonly message: string;
}

type Change = Omit<Difference, "operation">;

/** The differences of the second document: operation by operation in the order of the first, then the rest. */
export function compareContracts(before: Node, after: Node): Difference[] {
  if (isDeepStrictEqual(before, after)) return [];
  const [old, now] = [readContract(before), readContract(after)];
  const isShared = isDeepStrictEqual(readShared(before), readShared(after));
  const changed = unionNames(old, now).filter(
    (operation) => !isShared || !isSamePath(operation, before, after),
  );
  const found = changed.flatMap((operation) =>
    mergeStatuses(compareOperation([old.get(operation), now.get(operation)])).map((row) => ({
      operation,
      ...row,
    })),
  );
  if (found.some(({ effect }) => effect !== "words")) return found;
  const all = { operation: "*", location: "" };
  if (differBeyondWords(before, after))
    return [...found, { ...all, effect: "changes", message: "the documents say the same in other ways" }];
  return found.length > 0 ? found : [{ ...all, effect: "words", message: "only descriptions differ" }];
}

/** What several operations may refer to. An example is only words. */
function readShared({ components, security }: Node): readonly unknown[] {
  const { examples: _, securitySchemes: __, ...shared } = asRecord(components);
  return [shared, security];
}

/** Whether the path of an operation says the same in both documents. */
function isSamePath(operation: string, before: Node, after: Node): boolean {
  const path = operation.replace(/^[A-Z]+ /, "");
  return path !== "*" && isDeepStrictEqual(asRecord(before.paths)[path], asRecord(after.paths)[path]);
}

/** One part in both documents, if both have it. */
type Pair = readonly [before: (() => Part) | undefined, after: (() => Part) | undefined];

/** An operation, then each of its parameters and bodies with all that they contain. */
function compareOperation(pair: Pair): Change[] {
  const { rows, inner } = compareParts(pair);
  return [...rows, ...inner.flatMap(compareWhole)];
}

/**
 * Level by level. What the same references lead to is compared once, where it is used first: schemas may contain themselves,
 * and each other.
 */
function compareWhole(pair: Pair): Change[] {
  const found: Change[] = [];
  const seen = new Set<string>();
  const queue = [pair];
  // The loop also visits what it adds.
  for (const each of queue) {
    const { rows, inner, references } = compareParts(each);
    for (const row of rows) found.push(row);
    if (references !== null && seen.has(references)) continue;
    if (references !== null) seen.add(references);
    for (const part of inner) queue.push(part);
  }
  return found;
}

/** The differences of two parts, and what is to be compared within them. */
function compareParts([read, readOther]: Pair) {
  const [before, after] = [read?.(), readOther?.()];
  if (!before || !after) return { rows: describeMissing(before, after), inner: [], references: null };
  const rows = unionNames(before.facts, after.facts).flatMap((keyword) =>
    compareFact(before, keyword, before.facts.get(keyword), after.facts.get(keyword)),
  );
  const inner = unionNames(before.parts, after.parts).map(
    (name): Pair => [before.parts.get(name), after.parts.get(name)],
  );
  const hasReferences = before.reference !== undefined || after.reference !== undefined;
  const references = hasReferences ? JSON.stringify([before.role, before.reference, after.reference]) : null;
  return { rows, inner, references };
}

function describeMissing(before: Part | undefined, after: Part | undefined): Change[] {
  if (before) return before.whenGone ? [toChange(before.location, before.whenGone)] : [];
  return after?.whenNew ? [toChange(after.location, after.whenNew)] : [];
}

const unionNames = (one: Parts | Part["facts"], other: Parts | Part["facts"]): readonly string[] => [
  ...new Set([...one.keys(), ...other.keys()]),
];

const OTHER_STATUS = /^response (\d\w\w|default)(?= |$)/;

/** Names the statuses together that differ in the same way. */
function mergeStatuses(rows: readonly Change[]): readonly Change[] {
  const groups = groupBy(rows, ({ location, ...row }) =>
    JSON.stringify([location.replace(OTHER_STATUS, "response *"), row]),
  );
  return [...groups.values()].flatMap((group) => {
    const statuses = new Set(group.flatMap(({ location }) => OTHER_STATUS.exec(location)?.[1] ?? []));
    return group.slice(0, 1).map(({ location, ...row }) => ({
      location: location.replace(OTHER_STATUS, `response ${[...statuses].join(", ")}`),
      ...row,
    }));
  });
}

const toChange = (location: string, [effect, message]: Verdict): Change => ({ location, effect, message });

function compareFact({ role, location }: Part, keyword: string, before?: Texts, after?: Texts): Change[] {
  if (isDeepStrictEqual(before, after)) return [];
  return listVerdicts(role, keyword, before, after).map((verdict) => toChange(location, verdict));
}

function listVerdicts(role: Role, keyword: string, before?: Texts, after?: Texts): readonly Verdict[] {
  const isRequest = role === "request";
  switch (keyword) {
    case "required":
      if (after) return [isRequest ? ["breaks", "is required now"] : ["adds", "is never missing now"]];
      return [isRequest ? ["adds", "is no longer required"] : ["changes", "may be missing now"]];
    case "type":
      return [compareTypes(role, before ?? [], after ?? [])];
    case "enum":
      return compareValues(isRequest, before, after);
    default: {
      const [old, now] = [before?.join(" or "), after?.join(" or ")];
      return [[judgeKeyword(role, keyword, old, now), describeKeywordChange(keyword, old, now)]];
    }
  }
}

function compareTypes(role: Role, before: Texts, after: Texts): Verdict {
  const describe = (types: Texts) => types.join(" or ") || "anything";
  const message = `is ${describe(after)}, was ${describe(before)}`;
  if (role === "request") return [allowsTypes(after, before) ? "adds" : "breaks", message];
  if (role === "assumed response") return ["changes", message];
  return [allowsTypes(before, after) ? "changes" : "breaks", message];
}

/** Whether each of the inner types is allowed; no types allow any. */
const allowsTypes = (outer: Texts, inner: Texts): boolean =>
  outer.length === 0 || (inner.length > 0 && inner.every((type) => outer.includes(type)));

/** @param before the allowed values; undefined for any */
function compareValues(isRequest: boolean, before?: Texts, after?: Texts): readonly Verdict[] {
  if (!before || !after) {
    const message = after ? `is only ${after.join(", ")} now` : "may be any value now";
    const effect = after ? "breaks" : "adds";
    return [[isRequest ? effect : "changes", message]];
  }
  const [gone, added] = [listMissing(before, after), listMissing(after, before)];
  const ofGone: Verdict = isRequest
    ? ["breaks", `no longer accepts ${gone}`]
    : ["changes", `is never ${gone} now`];
  const ofAdded: Verdict = isRequest ? ["adds", `accepts ${added} now`] : ["changes", `may be ${added} now`];
  return [...(gone === "" ? [] : [ofGone]), ...(added === "" ? [] : [ofAdded])];
}

/** The values that the others do not have. */
function listMissing(values: Texts, others: Texts): string {
  const known = new Set(others);
  return values.filter((value) => !known.has(value)).join(", ");
}

const MAX_SHOWN_CHARACTERS = 60;

function describeKeywordChange(keyword: string, before?: string, after?: string): string {
  const isShown = !isWords(keyword) && isShort(before) && isShort(after);
  if (before === undefined) return isShown ? `${keyword} is new: ${after}` : `${keyword} is new`;
  if (after === undefined) return `${keyword} is gone`;
  return isShown ? `${keyword} is ${after}, was ${before}` : `${keyword} differs`;
}

const isShort = (text = ""): boolean => !/^[[{]/.test(text) && text.length <= MAX_SHOWN_CHARACTERS;
