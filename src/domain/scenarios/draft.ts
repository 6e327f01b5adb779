import type { Day } from "../entries/dates.ts";
import type { Circumstances } from "./circumstances.ts";
import type { Draw } from "./draw.ts";
import data from "./goods.json" with { type: "json" };
import { SCENARIO_SELLER } from "./seller.ts";

type Goods = (typeof data.goods)[number];

interface Importer {
  readonly number: string;
  readonly name: string;
}

/** An entry before a layout gives it rows; amounts in integer cents. */
export interface Draft {
  /** 11 characters. */
  readonly number: string;
  readonly circumstances: Circumstances;
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

const LEAST_VALUE_CENTS = 100_000;
const VALUE_SPAN_CENTS = 6_000_000;

/** Importers of the seller are its divisions: many in a large file, a few in a small one. */
const MOST_DIVISIONS = 2_000;
const ENTRIES_A_DIVISION = 10;
const FIRST_IMPORTER = 4_519_380;

export const divisionsFor = (entries: number): number =>
  Math.min(MOST_DIVISIONS, Math.ceil(entries / ENTRIES_A_DIVISION));

/** An affiliate: its name is not the seller's. */
const AFFILIATE: Importer = { number: "00-7720164AA", name: "HPT Consumer Electronics, Inc." };

interface Making {
  readonly number: string;
  readonly circumstances: Circumstances;
  readonly divisions: number;
  readonly isAffiliate: boolean;
  readonly draw: Draw;
}

export function makeDraft({ number, circumstances, divisions, isAffiliate, draw }: Making): Draft {
  const goods = data.goods[draw.below(data.goods.length)] as Goods;
  const port = data.ports[draw.below(data.ports.length)] ?? "";
  const valueCents = LEAST_VALUE_CENTS + draw.below(VALUE_SPAN_CENTS);
  const isProtested = circumstances.protestStatus !== null;
  return {
    number,
    circumstances,
    importer: isAffiliate ? AFFILIATE : divisionOf(draw.below(divisions)),
    port,
    summaryDate: circumstances.entryDate + draw.below(15),
    goods,
    valueCents,
    baseCents: portion(valueCents, goods.baseBps),
    ieepaCents: circumstances.isDutyFree ? 0 : portion(valueCents, goods.ieepaBps),
    section301Cents: portion(valueCents, goods.section301Bps),
    protestNumber: isProtested ? `${port}26${String(100_000 + draw.below(900_000))}` : null,
  };
}

const portion = (cents: number, bps: number): number => Math.round((cents * bps) / 10_000);

const divisionOf = (division: number): Importer => ({
  number: `00-${FIRST_IMPORTER + division}AA`,
  name: division === 0 ? SCENARIO_SELLER : `${SCENARIO_SELLER} - Division ${division}`,
});
