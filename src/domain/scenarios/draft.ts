import type { Day } from "../entries/dates.ts";
import type { EntryFacts } from "./entry-facts.ts";
import data from "./goods.json" with { type: "json" };
import { SCENARIO_SELLER } from "./scenarios.ts";
import type { SeededRandom } from "./seeded-random.ts";

type Goods = (typeof data.goods)[number];

interface Importer {
  readonly number: string;
  readonly name: string;
}

/** An entry before it becomes rows of a layout. */
export interface ScenarioEntry {
  /** 11 characters. */
  readonly number: string;
  readonly facts: EntryFacts;
  readonly importer: Importer;
  readonly port: string;
  readonly summaryDate: Day;
  readonly goods: Goods;
  readonly valueCents: number;
  readonly baseCents: number;
  readonly ieepaCents: number;
  readonly section301Cents: number;
  readonly protestNumber: string | null;
}

const MIN_VALUE_CENTS = 100_000;
const VALUE_SPAN_CENTS = 6_000_000;

/** The importers are divisions of the seller. A larger file has more of them. */
const MAX_DIVISIONS = 2_000;
const ENTRIES_PER_DIVISION = 10;
const FIRST_IMPORTER_NUMBER = 4_519_380;

export const countDivisions = (entries: number): number =>
  Math.min(MAX_DIVISIONS, Math.ceil(entries / ENTRIES_PER_DIVISION));

const AFFILIATE: Importer = { number: "00-7720164AA", name: "HPT Consumer Electronics, Inc." };

interface DraftInput {
  readonly number: string;
  readonly facts: EntryFacts;
  readonly divisions: number;
  readonly isAffiliate: boolean;
  readonly random: SeededRandom;
}

export function draftEntry({
  number,
  facts: circumstances,
  divisions,
  isAffiliate,
  random: draw,
}: DraftInput): ScenarioEntry {
  const goods = data.goods[draw.integerBelow(data.goods.length)] as Goods;
  const port = data.ports[draw.integerBelow(data.ports.length)] ?? "";
  const valueCents = MIN_VALUE_CENTS + draw.integerBelow(VALUE_SPAN_CENTS);
  const isProtested = circumstances.protestStatus !== null;
  return {
    number,
    facts: circumstances,
    importer: isAffiliate ? AFFILIATE : createDivision(draw.integerBelow(divisions)),
    port,
    summaryDate: circumstances.entryDate + draw.integerBelow(15),
    goods,
    valueCents,
    baseCents: applyBasisPoints(valueCents, goods.baseBps),
    ieepaCents: circumstances.isDutyFree ? 0 : applyBasisPoints(valueCents, goods.ieepaBps),
    section301Cents: applyBasisPoints(valueCents, goods.section301Bps),
    protestNumber: isProtested ? `${port}26${String(100_000 + draw.integerBelow(900_000))}` : null,
  };
}

const applyBasisPoints = (cents: number, bps: number): number => Math.round((cents * bps) / 10_000);

const createDivision = (division: number): Importer => ({
  number: `00-${FIRST_IMPORTER_NUMBER + division}AA`,
  name: division === 0 ? SCENARIO_SELLER : `${SCENARIO_SELLER} - Division ${division}`,
});
