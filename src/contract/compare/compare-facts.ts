import type { SchemaFacts } from "./schema-facts.ts";

/** A client sends a request. It must do without what a response only assumes (product.md §2), and without the details of an error. */
export type Role = "request" | "parameter" | "response" | "assumed response";

/** What becomes of the values that a place may have. A note says nothing about them. */
type Kind = "gone" | "fewer" | "more" | "more types" | "others" | "note";

type Finding = readonly [kind: Kind, message: string];

/** What may break a client of the first document: it sends a value that is refused, or gets one that it cannot read. */
export const BREAKING: Readonly<Record<Role, readonly Kind[]>> = {
  request: ["gone", "fewer", "others"],
  // Most services ignore a parameter that they do not know.
  parameter: ["fewer", "others"],
  response: ["gone", "more types", "others"],
  "assumed response": [],
};

/** @param before undefined if only the second document has the place */
export function compareFacts(before?: SchemaFacts, after?: SchemaFacts): readonly Finding[] {
  if (before && after)
    return [
      ...compareRequired(before, after),
      ...compareTypes(before.types, after.types),
      ...compareValues(before.values, after.values),
      ...compareKeywords(before.keywords, after.keywords),
    ];
  if (after) return [after.isRequired ? ["fewer", "is new, and required"] : ["more", "is new"]];
  return [["gone", "is gone"]];
}

function* compareRequired(before: SchemaFacts, after: SchemaFacts): Generator<Finding> {
  if (before.isRequired === after.isRequired) return;
  yield after.isRequired ? ["fewer", "is required now"] : ["more", "is no longer required"];
}

type Texts = readonly string[];

function* compareTypes(before: Texts, after: Texts): Generator<Finding> {
  const describe = (types: Texts) => types.join(" or ") || "anything";
  const message = `is ${describe(after)}, was ${describe(before)}`;
  const [isFewer, isMore] = [allowsTypes(before, after), allowsTypes(after, before)];
  if (isFewer && isMore) return;
  if (isFewer) yield ["fewer", message];
  else yield [isMore ? "more types" : "others", message];
}

/** Whether each of the inner types is allowed; no types allow any. */
const allowsTypes = (outer: Texts, inner: Texts): boolean =>
  outer.length === 0 || (inner.length > 0 && inner.every((type) => outer.includes(type)));

function* compareValues(before: Texts, after: Texts): Generator<Finding> {
  const [old, now] = [new Set(before), new Set(after)];
  const gone = before.filter((value) => !now.has(value)).join(", ");
  const added = after.filter((value) => !old.has(value)).join(", ");
  // Without a list of values, any is allowed.
  if (gone !== "")
    yield after.length > 0 ? ["fewer", `is never ${gone} now`] : ["more", "may be any value now"];
  if (added !== "")
    yield before.length > 0 ? ["more", `may be ${added} now`] : ["fewer", `is only ${added} now`];
}

type Keywords = SchemaFacts["keywords"];

function* compareKeywords(before: Keywords, after: Keywords): Generator<Finding> {
  for (const keyword of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(keyword), after.get(keyword)];
    if (old !== now) yield [judgeKeyword(keyword, old, now), describeKeyword(keyword, old, now)];
  }
}

const NOTES: Texts = ["deprecated", "x-basis"];

function judgeKeyword(keyword: string, before?: string, after?: string): Kind {
  if (NOTES.includes(keyword)) return "note";
  if (before === undefined) return "fewer";
  if (after === undefined) return "more";
  const growth = Number(after) - Number(before);
  if (/^min|Minimum$/.test(keyword)) return growth > 0 ? "fewer" : "more";
  if (/^max|Maximum$/.test(keyword)) return growth < 0 ? "fewer" : "more";
  return "others";
}

const MAX_SHOWN_CHARACTERS = 60;

function describeKeyword(keyword: string, before?: string, after?: string): string {
  if (after === undefined) return `${keyword} is gone`;
  const isShown = Math.max(after.length, before?.length ?? 0) <= MAX_SHOWN_CHARACTERS;
  if (before === undefined) return isShown ? `${keyword} is new: ${after}` : `${keyword} is new`;
  return isShown ? `${keyword} is ${after}, was ${before}` : `${keyword} differs`;
}
