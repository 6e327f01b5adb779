import { usageError } from "../../src/domain/errors.ts";
import { isRecord, quoteValue } from "../../src/domain/json.ts";
import { findClosest } from "../../src/domain/text.ts";

/** Refuses unknown options, and a value that is not an object. @throws ClaimsError `unknown_option`, `validation_failed` */
export function refuseUnknownOptions(given: unknown, where: string, known: readonly string[]): void {
  const its = `its options are ${known.join(", ")}`;
  if (!isPlainObject(given))
    throw usageError("validation_failed", `${where} takes options, not ${quoteValue(given)}`, { hint: its });
  const name = Object.keys(given).find((each) => !known.includes(each));
  if (name === undefined) return;
  const closest = findClosest(name, known, name.length / 2);
  throw usageError("unknown_option", `${where} has no option ${name}`, {
    hint: closest === null ? its : `did you mean ${closest}?`,
  });
}

/** Not a Date, a Map or the like. An object of another realm has another prototype. */
const isPlainObject = (value: unknown): value is object =>
  Object.prototype.toString.call(value) === "[object Object]";

/** Refuses a value that is not a signal, whatever its class. @throws ClaimsError `validation_failed` */
export function requireSignal(signal: unknown): void {
  const given = isRecord(signal) ? signal : {};
  if (typeof given.aborted === "boolean" && typeof given.addEventListener === "function") return;
  throw usageError("validation_failed", "signal must be an AbortSignal", {
    hint: "give controller.signal",
  });
}
