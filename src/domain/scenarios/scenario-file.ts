import { Buffer } from "node:buffer";
import { quoteCsvCell } from "../csv.ts";
import { SCENARIO_DIGITS, type EntryScenario as Script } from "../diligence/entry-scenario.ts";
import type { Day } from "../entries/dates.ts";
import type { Layout } from "../entries/entry.ts";
import { type CellChange, REPAIRABLE_CHANGES, ROW_FAULTS, rowFaultsFor } from "./cell-changes.ts";
import { buildEntryCells, buildGoodsCells, buildTotalCells, type Cells } from "./cells.ts";
import { countDivisions, draftEntry, type ScenarioEntry } from "./draft.ts";
import { buildEntryFacts } from "./entry-facts.ts";
import { EntryNumbers } from "./entry-numbers.ts";
import { buildEntryRow, ENTRY_COLUMNS } from "./entry-row.ts";
import { buildEs003Rows, ES003_COLUMNS, ES003_HEADER } from "./es003-rows.ts";
import { countEntries, countRowsOfEntry, findRank } from "./row-counts.ts";
import {
  getScenario,
  SCENARIO_SELLER,
  type ScenarioDefinition,
  type ScenarioName,
  type SpecialKind,
  type Spread,
} from "./scenarios.ts";
import { SeededRandom } from "./seeded-random.ts";

/** The same options give the same bytes. */
export interface ScenarioFileOptions {
  readonly scenario: ScenarioName;
  /** Without the header, within `getRowBounds`. */
  readonly rows: number;
  readonly layout: Layout;
  readonly seed: number;
  /** The submission date for which the scenario holds, from `FIRST_AS_OF`. */
  readonly asOf: Day;
}

const CHUNK_CHARACTERS = 64 * 1024;

/** Generates the file of a scenario in chunks. */
export function* generateScenarioFile(request: ScenarioFileOptions): Generator<Uint8Array> {
  const file = new ScenarioFile(request);
  let text = file.header();
  for (const lines of file.entries()) {
    text += lines;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield file.bytes(text);
    text = "";
  }
  yield file.bytes(text);
}

class ScenarioFile {
  readonly #request: ScenarioFileOptions;
  readonly #scenario: ScenarioDefinition;
  readonly #entries: number;
  readonly #spread: Spread | null;
  readonly #faults: readonly CellChange[];
  readonly #random: SeededRandom;
  readonly #numbers: EntryNumbers;
  /** The position of a missing column, or -1. */
  readonly #missingColumn: number;

  constructor(request: ScenarioFileOptions) {
    const { scenario, layout, rows, seed } = request;
    this.#request = request;
    this.#scenario = getScenario(scenario);
    this.#entries = countEntries(rows, layout);
    this.#spread = this.#scenario.specialEntries?.at(this.#entries, layout) ?? null;
    this.#faults = rowFaultsFor(layout);
    this.#random = new SeededRandom(`${seed}/${scenario}/${layout}`);
    this.#numbers = new EntryNumbers(this.#random.integerBelow(10_000_000));
    const columns: readonly string[] = layout === "entry" ? ENTRY_COLUMNS : ES003_COLUMNS;
    const lacksColumn = this.#scenario.failureCode === "REQUIRED_COLUMN_MISSING";
    this.#missingColumn = lacksColumn ? columns.indexOf("importer_number") : -1;
  }

  header(): string {
    return this.#line(this.#request.layout === "entry" ? ENTRY_COLUMNS : ES003_HEADER);
  }

  /** The lines of each entry. */
  *entries(): Generator<string> {
    const { layout } = this.#request;
    let left = this.#request.rows;
    for (let position = 0; position < this.#entries; position += 1) {
      const count = countRowsOfEntry(position, left, layout);
      left -= count;
      const rows = this.#rows(position, count);
      if (position === 0 && this.#scenario.failureCode === "ROW_WIDTH") rows[0]?.pop();
      yield rows.map((cells) => this.#line(cells)).join("");
    }
  }

  bytes(text: string): Uint8Array {
    return Buffer.from(text, this.#scenario.failureCode === "FILE_ENCODING" ? "latin1" : "utf8");
  }

  #line(cells: readonly string[]): string {
    const kept = this.#missingColumn === -1 ? cells : cells.toSpliced(this.#missingColumn, 1);
    return `${kept.map(quoteCsvCell).join(",")}\n`;
  }

  #rows(position: number, count: number): string[][] {
    const rank = this.#spread === null ? -1 : findRank(this.#spread, position);
    const special = rank === -1 ? null : (this.#scenario.specialEntries?.as ?? null);
    const draft = this.#draftEntry(position, special);
    const { asOf, layout } = this.#request;
    const whole = buildEntryCells(draft);
    const own = layout === "entry" ? buildTotalCells(draft) : buildGoodsCells(draft);
    const change = this.#changeFor(special, rank);
    const changes = change?.cells({
      cells: { ...whole, ...own },
      previousNumber: this.#numberBefore(position),
      entryDate: draft.facts.entryDate,
      asOf,
    });
    if (layout === "entry") return [buildEntryRow([changes ?? UNCHANGED, own, whole])];
    const inGoods = changes ?? UNCHANGED;
    return buildEs003Rows(draft, count, whole, {
      inGoods,
      inAll: change?.in === "goods row" ? UNCHANGED : inGoods,
    });
  }

  #numberBefore(position: number): string {
    return position === 0 ? "" : this.#numbers.generate(position - 1);
  }

  #draftEntry(position: number, special: SpecialKind | null): ScenarioEntry {
    const { isVaried, classifications } = this.#scenario;
    const all = classifications(this.#request.layout);
    const ordinary = all[position % all.length] ?? "unliquidated";
    const facts = buildEntryFacts(special === "faulty" ? "unliquidated" : ordinary, {
      asOf: this.#request.asOf,
      isUrgent: isVaried && Math.floor(position / all.length) % 2 === 0,
      random: this.#random,
    });
    return draftEntry({
      facts,
      number: hasScript(special)
        ? this.#numbers.generateScripted(special, position)
        : this.#numbers.generate(position),
      divisions: countDivisions(this.#entries),
      isAffiliate: isVaried && position % AFFILIATE_STEP === 0,
      random: this.#random,
    });
  }

  #changeFor(special: SpecialKind | null, rank: number): CellChange | null {
    switch (special) {
      case "faulty":
        return this.#faults[rank % this.#faults.length] ?? null;
      case "duplicate":
        return ROW_FAULTS.ENTRY_NUMBER_DUPLICATE;
      case "repaired":
        return REPAIRABLE_CHANGES[rank % REPAIRABLE_CHANGES.length] ?? null;
      case "accented":
        return ACCENTED;
      default:
        return null;
    }
  }
}

const UNCHANGED: Cells = {};

/** Every seventh importer is an affiliate of the seller. */
const AFFILIATE_STEP = 7;

const ACCENTED: CellChange = { cells: () => ({ importer_name: `${SCENARIO_SELLER} - Entrepôt` }) };

const hasScript = (special: SpecialKind | null): special is Script =>
  special !== null && Object.hasOwn(SCENARIO_DIGITS, special);
