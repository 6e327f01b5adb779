import { isTooDeep, MAX_JSON_DEPTH } from "../../src/domain/json.ts";
import { validationError } from "./problem-error.ts";

/**
 * Parses a JSON body; undefined for text that is not JSON. Refuses one that is nested too deep (RFC 8259 §9), because a
 * recursive reader could run out of stack.
 */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isTooDeep(value)) return value;
  const detail = `The body is nested more than ${MAX_JSON_DEPTH} levels deep.`;
  throw validationError([{ pointer: "", code: "too_deep", detail }]);
}
