import { UUID } from "../../../domain/uuid.ts";
import type { CodecName } from "../codecs.ts";
import type { ContractField } from "../contract-records.ts";

type Shape = ContractField["shape"];

/** Of one value: a pattern is for texts. */
type Test = RegExp | ((value: unknown) => boolean);

const passes = (value: unknown, test: Test): boolean =>
  test instanceof RegExp ? typeof value === "string" && test.test(value) : test(value);

const isInteger = (min: number, max: number) => (value: unknown) =>
  Number.isInteger(value) && Number(value) >= min && Number(value) < max;

/** The first test that all values pass names their codec; null is the form of the contract. */
const TESTS: Partial<Record<Shape, readonly (readonly [CodecName | null, Test])[]>> = {
  time: [
    [null, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/],
    ["without-fraction", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
    [null, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/],
    ["with-fraction-and-offset", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:?\d\d$/],
    ["with-offset", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:?\d\d$/],
    ["without-zone", /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?$/],
    ["http-date", /^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/],
    ["rfc2822", /^\w{3}, \d\d \w{3} \d{4} [\d:]{8} [+-]\d{4}$/],
    ["epoch-seconds", isInteger(1e8, 1e11)],
    ["epoch-ms", isInteger(1e11, 1e14)],
    ["epoch-seconds-text", /^\d{9,10}$/],
    ["epoch-seconds-decimal-text", /^\d{9,10}\.\d{3}$/],
    ["iso-basic", /^\d{8}T\d{6}Z$/],
    ["epoch-ms-text", /^\d{12,13}$/],
  ],
  date: [
    [null, /^\d{4}-\d\d-\d\d$/],
    ["month-first", /^\d\d\/\d\d\/\d{4}$/],
    ["day-first", /^\d\d\.\d\d\.\d{4}$/],
    ["digits-only", /^\d{8}$/],
  ],
  money: [
    [null, Number.isInteger],
    ["decimal", (value) => typeof value === "number"],
    ["decimal-text", /^-?\d+\.\d\d$/],
    ["decimal-comma", /^-?\d+,\d\d$/],
    ["with-currency", /^[A-Z]{3} -?\d+\.\d\d$/],
    ["text", /^-?\d+$/],
  ],
  integer: [
    [null, Number.isInteger],
    ["text", /^-?\d+$/],
  ],
  boolean: [
    [null, (value) => typeof value === "boolean"],
    ["true-text", /^(true|false)$/],
    ["yes-no", /^(yes|no)$/],
    ["y-n", /^[YN]$/],
    ["zero-one", (value) => value === 0 || value === 1],
  ],
  text: [[null, (value) => typeof value === "string"]],
  texts: [
    [null, (value) => Array.isArray(value) && value.every((each) => typeof each === "string")],
    ["joined", /^[^\s;]*$/],
    ["joined-space", /^[^,;]*$/],
  ],
};

/** The codec of the values at a place: null for the form of the contract, undefined for one that no codec has. */
export function findValueForm(shape: Shape, values: readonly unknown[]): CodecName | null | undefined {
  const known = values.filter((value) => value !== null);
  if (known.length === 0 || shape === "other") return null;
  const found = TESTS[shape]?.find(([, test]) => known.every((value) => passes(value, test)));
  return found === undefined ? undefined : found[0];
}

export const isUuid = (value: unknown): value is string => typeof value === "string" && UUID.test(value);

/** Whether a value could be one of a field of the contract, in any form. */
export const couldBe = (shape: Shape, value: unknown): boolean =>
  value === null || (TESTS[shape] ?? []).some(([, test]) => passes(value, test));
