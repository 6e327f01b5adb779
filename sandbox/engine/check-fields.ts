import type { ErrorCode } from "../../src/domain/error-codes.ts";
import { usageError } from "../../src/domain/errors.ts";
import { quoteValue } from "../../src/domain/json.ts";
import { findClosest } from "../../src/domain/text.ts";

export interface FieldCheck {
  readonly isValid: (value: unknown) => boolean;
  /** As in `a whole number from 1 to 9`. */
  readonly expected: string;
  /** For a text with a typing error. */
  readonly findClosest?: (value: string) => string | null;
}

/** Of every field; null for one that is validated where it is used. */
export type FieldChecks<T> = Readonly<Record<keyof T & string, FieldCheck | null>>;

/** The words and the codes of an error. */
interface Refusal {
  /** As in `a fault rule` or `startSandbox()`. */
  readonly what: string;
  readonly noun: "field" | "option";
  /** Of the names in messages, as in `match.`. */
  readonly prefix?: string;
  /** Default: `validation_failed`; options have codes of their own. */
  readonly code?: ErrorCode<"usage">;
}

/**
 * Refuses a value that is not an object, an unknown name, and a field of the wrong type or range.
 *
 * @returns the fields that are not undefined
 * @throws ClaimsError of kind `usage`
 */
export function checkFields<T>(
  given: unknown,
  checks: FieldChecks<T>,
  { what, noun, prefix = "", code = "validation_failed" }: Refusal,
): T {
  const isOption = noun === "option";
  const invalidCode = isOption ? "option_invalid" : code;
  const names = Object.keys(checks);
  const listOfNames = `its ${noun}s are ${names.join(", ")}`;
  if (!isPlainObject(given))
    throw usageError(invalidCode, `${what} takes ${noun}s, not ${quoteValue(given)}`, { hint: listOfNames });
  const fields = Object.entries(given);
  for (const [name, value] of fields) {
    if (!Object.hasOwn(checks, name)) {
      const closest = findClosest(name, names, name.length / 2);
      throw usageError(isOption ? "unknown_option" : code, `${what} has no ${noun} ${prefix}${name}`, {
        hint: closest === null ? listOfNames : `did you mean ${prefix}${closest}?`,
      });
    }
    const check = checks[name as keyof T & string];
    if (value !== undefined && check) requireValid(prefix + name, value, check, invalidCode);
  }
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as T;
}

function requireValid(field: string, value: unknown, check: FieldCheck, code: ErrorCode<"usage">): void {
  if (check.isValid(value)) return;
  // NaN and Infinity have no JSON.
  const quoted = typeof value === "number" ? String(value) : quoteValue(value);
  const closest = typeof value === "string" ? (check.findClosest?.(value) ?? null) : null;
  const suggestion = closest === null ? "" : `; the closest one is ${closest}`;
  throw usageError(code, `${field} cannot be ${quoted}`, {
    option: field,
    hint: `give ${check.expected}${suggestion}`,
  });
}

/** Not a Date, a Map or the like. An object of another realm has another prototype. */
const isPlainObject = (value: unknown): value is object =>
  Object.prototype.toString.call(value) === "[object Object]";

export const integer = (minimum: number, maximum = Number.MAX_SAFE_INTEGER, unit = ""): FieldCheck => ({
  isValid: (value) => Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum,
  expected:
    maximum < Number.MAX_SAFE_INTEGER
      ? `a whole number from ${minimum} to ${maximum}${unit}`
      : minimum > Number.MIN_SAFE_INTEGER
        ? `a whole number of at least ${minimum}${unit}`
        : "a whole number",
});

/** Any text, where what it stands for is looked up later. */
export const text = (expected: string): FieldCheck => ({
  isValid: (value) => typeof value === "string",
  expected,
});

export const pattern = (regExp: RegExp, expected: string): FieldCheck => ({
  isValid: (value) => typeof value === "string" && regExp.test(value),
  expected,
});

export const word = (words: readonly string[], expected = words.join(" or ")): FieldCheck => ({
  isValid: (value) => words.some((each) => each === value),
  expected,
  findClosest: (value) => findClosest(value, words, value.length / 2),
});

export const FLAG: FieldCheck = {
  isValid: (value) => typeof value === "boolean",
  expected: "true or false",
};

export const FUNCTION: FieldCheck = {
  isValid: (value) => typeof value === "function",
  expected: "a function",
};

/** An AbortSignal of any class: the environment of a host may have its own. */
export const SIGNAL: FieldCheck = {
  isValid: (value) => {
    const { aborted, addEventListener } = Object(value);
    return typeof aborted === "boolean" && typeof addEventListener === "function";
  },
  expected: "an AbortSignal, such as controller.signal",
};
