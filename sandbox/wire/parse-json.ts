import { isTooDeep, MAX_JSON_DEPTH } from "../../src/domain/json.ts";
import { validationError } from "./problem-error.ts";

/**
 * The value of a JSON body; undefined for text that is not JSON. Refuses one that nests too deep (RFC 8259 §9), because
 * whatever walks it later could run out of stack.
 */
export function parseJson(text: string): unknown {
  const value = tryParse(text);
  if (!isTooDeep(value)) return value;
  const detail = `The body nests more than ${MAX_JSON_DEPTH} levels deep.`;
  throw validationError([{ pointer: "", code: "too_deep", detail }]);
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
