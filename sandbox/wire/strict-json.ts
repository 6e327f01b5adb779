import { isTooDeep, MAX_JSON_DEPTH, quoteValue } from "../../src/domain/json.ts";
import { problemError, validationError } from "./problem-error.ts";

/** Refuses what parsers read differently: deep nesting (RFC 8259 §9), and an object with a name twice (§4). */
export function requireStrictJson(value: unknown, text: string): void {
  if (isTooDeep(value)) {
    const detail = `The body is nested more than ${MAX_JSON_DEPTH} levels deep.`;
    throw validationError([{ pointer: "", code: "too_deep", detail }]);
  }
  const duplicate = findDuplicateName(text);
  if (duplicate === undefined) return;
  const detail = `The body has the name ${quoteValue(duplicate)} twice in one object.`;
  throw problemError("malformed_request", detail);
}

/** @param text valid JSON */
function findDuplicateName(text: string): string | undefined {
  const objects: Set<string>[] = [];
  for (const [token, string, colon] of text.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")\s*(:)?|[{}]/g)) {
    if (token === "{") objects.push(new Set());
    else if (token === "}") objects.pop();
    else if (colon !== undefined) {
      const name = JSON.parse(string ?? "") as string;
      if (objects.at(-1)?.has(name)) return name;
      objects.at(-1)?.add(name);
    }
  }
  return undefined;
}
