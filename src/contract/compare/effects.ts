import { isRecord } from "../../domain/json.ts";

/** What a difference means to a client of the first document: `breaks`, `changes`, only `adds`, or `words` for people. */
export type Effect = "breaks" | "changes" | "adds" | "words";

/** What a part of a contract is to a client. It sends a request, and must do without what a response only assumes (product.md §2). */
export type Role = "request" | "documented response" | "assumed response" | "credential" | "description";

const WORDS: ReadonlySet<string> = new Set(["title", "summary", "description", "example", "examples"]);

/** Keywords whose members have names of the document's own choice, which may be `title`. */
const NAME_MAPS: ReadonlySet<string> = new Set(
  "properties patternProperties headers schemas responses securitySchemes paths webhooks content encoding scopes $defs".split(
    " ",
  ),
);

/** Keywords that restrict a value the more, the larger or the smaller they are. */
const LOWER_BOUNDS = /^(exclusiveM|m)inimum$|^min(Length|Items|Properties)$/;
const UPPER_BOUNDS = /^(exclusiveM|m)aximum$|^max(Length|Items|Properties)$/;

/** Keywords that neither restrict what a client sends nor say how it is sent. */
const NEUTRAL: ReadonlySet<string> = new Set([
  ...["deprecated", "default", "readOnly", "writeOnly"],
  ...["externalDocs", "operationId", "tags", "contentMediaType", "links"],
]);

export const isWords = (keyword: string): boolean => WORDS.has(keyword);

/** Judges a keyword that is not the same. The texts are those of its values; undefined where it is missing. */
export function judgeKeyword(role: Role, keyword: string, before?: string, after?: string): Effect {
  if (isWords(keyword)) return "words";
  const isNew = before === undefined;
  if (NEUTRAL.has(keyword)) return "changes";
  if (keyword.startsWith("x-") || role === "description") return isNew ? "adds" : "changes";
  if (role === "credential") return isNew ? "adds" : "breaks";
  switch (compareRestriction(keyword, before, after)) {
    case "tighter":
      return role === "request" ? "breaks" : "adds";
    case "looser":
      return role === "request" ? "adds" : "changes";
    case "other":
      return role === "assumed response" ? "changes" : "breaks";
  }
}

function compareRestriction(
  keyword: string,
  before?: string,
  after?: string,
): "tighter" | "looser" | "other" {
  if (before === undefined) return "tighter";
  if (after === undefined) return "looser";
  const growth = Number(after) - Number(before);
  if (Number.isNaN(growth)) return "other";
  if (LOWER_BOUNDS.test(keyword)) return growth > 0 ? "tighter" : "looser";
  if (UPPER_BOUNDS.test(keyword)) return growth < 0 ? "tighter" : "looser";
  return "other";
}

/** Whether two documents differ in more than titles, summaries, descriptions and examples. */
export function differBeyondWords(before: unknown, after: unknown, hasNames = false): boolean {
  if (before === after) return false;
  if (Array.isArray(before) && Array.isArray(after))
    return (
      before.length !== after.length || before.some((each, index) => differBeyondWords(each, after[index]))
    );
  if (!isRecord(before) || !isRecord(after)) return true;
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].some(
    (key) =>
      (hasNames || !isWords(key)) &&
      differBeyondWords(before[key], after[key], !hasNames && NAME_MAPS.has(key)),
  );
}
