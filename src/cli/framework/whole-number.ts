import { usageError } from "../../domain/errors.ts";

/** What a number that somebody types may be. */
interface Bounds {
  /** As in `a port`. */
  readonly what: string;
  readonly min: number;
  readonly max: number;
  /** Of the error. */
  readonly code?: string;
}

/** A whole number that somebody typed. */
export function parseInteger(
  text: string,
  { what, min: least, max: most, code = "invalid_number" }: Bounds,
): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw usageError(code, `"${text}" is not ${what}`, {
    hint: `write a whole number from ${least} to ${most}`,
  });
}
