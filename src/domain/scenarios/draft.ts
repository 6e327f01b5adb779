import { type EntryScenario, RESERVED_FILER_CODE, SCENARIO_DIGITS } from "../diligence/entry-scenario.ts";
import { computeCheckDigit } from "../entries/rules/entry-number.ts";
import type { EntryFacts } from "./entry-facts.ts";

import type { SeededRandom } from "./seeded-random.ts";

/** The seller in each file. The review of a submission under another name has one more condition. */
export const SCENARIO_SELLER = "Harbor & Pine Trading, LLC";

/** HTS number, description, country, IEEPA tariff, and illustrative rates in basis points of the entered value. */
const GOODS = [
  ["9503000073", "TOYS, OTHER", "CN", "99030124", { ieepa: 2000, base: 0, section301: 750 }],
  ["6110202079", "COTTON SWEATERS", "VN", "99030269", { ieepa: 2000, base: 1650, section301: 0 }],
  ["4202923131", "TRAVEL BAGS, TEXTILE", "KH", "99030226", { ieepa: 1900, base: 1760, section301: 0 }],
  ["9403608081", "WOODEN FURNITURE", "MY", "99030243", { ieepa: 1900, base: 0, section301: 0 }],
  ["8518302000", "HEADPHONES", "CN", "99030125", { ieepa: 1000, base: 0, section301: 750 }],
  ["7323930045", "STEEL KITCHENWARE", "IN", "99030226", { ieepa: 2500, base: 200, section301: 0 }],
  ["6911103750", "PORCELAIN TABLEWARE", "PT", "99030220", { ieepa: 1500, base: 600, section301: 0 }],
  ["9405110010", "LED LAMPS", "TW", "99030260", { ieepa: 2000, base: 390, section301: 0 }],
] as const;

const PORTS = ["1401", "2704", "2809", "3001", "4601", "5301"] as const;

const MIN_VALUE_CENTS = 100_000;
const VALUE_SPAN_CENTS = 6_000_000;

const AFFILIATE = { number: "00-7720164AA", name: "HPT Consumer Electronics, Inc." };

/** The importers are divisions of the seller. A larger file has more of them. */
const MAX_DIVISIONS = 2_000;
const ENTRIES_PER_DIVISION = 10;
const FIRST_IMPORTER_NUMBER = 4_519_380;

export const countDivisions = (entries: number): number =>
  Math.min(MAX_DIVISIONS, Math.ceil(entries / ENTRIES_PER_DIVISION));

export type ScenarioEntry = ReturnType<typeof draftEntry>;

export function draftEntry(
  number: string,
  facts: EntryFacts,
  { divisions, isAffiliate }: { readonly divisions: number; readonly isAffiliate: boolean },
  random: SeededRandom,
) {
  const [hts, description, country, ieepaNumber, rates] = random.pick(GOODS);
  const port = random.pick(PORTS);
  const valueCents = MIN_VALUE_CENTS + random.integerBelow(VALUE_SPAN_CENTS);
  const applyRate = (bps: number) => Math.round((valueCents * bps) / 10_000);
  return {
    number,
    facts,
    importer: isAffiliate ? AFFILIATE : createDivision(random.integerBelow(divisions)),
    port,
    summaryDate: facts.entryDate + random.integerBelow(15),
    hts,
    description,
    country,
    ieepaNumber,
    valueCents,
    baseCents: applyRate(rates.base),
    ieepaCents: facts.isDutyFree ? 0 : applyRate(rates.ieepa),
    section301Cents: applyRate(rates.section301),
    protestNumber: facts.protestStatus === null ? "" : `${port}26${random.integerBetween(100_000, 999_999)}`,
  };
}

const createDivision = (division: number) => ({
  number: `00-${FIRST_IMPORTER_NUMBER + division}AA`,
  name: division === 0 ? SCENARIO_SELLER : `${SCENARIO_SELLER} - Division ${division}`,
});

const FILER_CODES = ["ZZ9", "9TQ", "SP7", "001", "ABC"];

/** No common divisor with a power of ten, so serials do not repeat, and they look like those of several ports. */
const SERIAL_STRIDE = 7_919;

/**
 * An entry number for each position.
 *
 * @param start below ten million
 * @param script for the sandbox (product.md §5)
 */
export function numberEntry(position: number, start: number, script: EntryScenario | null): string {
  const filer = FILER_CODES[position % FILER_CODES.length] ?? "";
  const prefix = script === null ? filer : RESERVED_FILER_CODE + SCENARIO_DIGITS[script];
  const digits = 10 - prefix.length;
  const serial = String((position * SERIAL_STRIDE + start) % 10 ** digits).padStart(digits, "0");
  return prefix + serial + computeCheckDigit(prefix + serial);
}
