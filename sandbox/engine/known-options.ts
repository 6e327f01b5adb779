import { usageError } from "../../src/domain/errors.ts";
import { findClosest } from "../../src/domain/text.ts";

/**
 * Refuses options that a function does not have: a misspelled one would have no effect.
 *
 * @throws ClaimsError `unknown_option`
 */
export function refuseUnknownOptions(given: object, where: string, known: readonly string[]): void {
  const name = Object.keys(given).find((each) => !known.includes(each));
  if (name === undefined) return;
  const closest = findClosest(name, known, name.length / 2);
  throw usageError("unknown_option", `${where} has no option ${name}`, {
    hint: closest === null ? `its options are ${known.join(", ")}` : `did you mean ${closest}?`,
  });
}
