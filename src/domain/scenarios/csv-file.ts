import { Buffer } from "node:buffer";
import { SCENARIO_DIGITS, type EntryScenario as Script } from "../diligence/scenario.ts";
import type { Day } from "../entries/dates.ts";
import type { Layout } from "../entries/entry.ts";
import { type Cells, entryCells, goodsCells, totalCells } from "./cells.ts";
import type { Change } from "./change.ts";
import { circumstancesOf } from "./circumstances.ts";
import { type Draft, divisionsFor, makeDraft } from "./draft.ts";
import { Draw } from "./draw.ts";
import { ENTRY_COLUMNS, entryRow } from "./entry-row.ts";
import { ES003_COLUMNS, ES003_HEADER, es003Rows } from "./es003-rows.ts";
import { EntryNumbers } from "./numbers.ts";
import { ALL_REPAIRS } from "./repairs.ts";
import { ROW_FAULTS, rowFaultsIn } from "./row-faults.ts";
import { entriesIn, rowsOfEntry } from "./rows.ts";
import { type Scenario, type ScenarioName, type Special, scenarioCalled } from "./scenarios.ts";
import { SCENARIO_SELLER } from "./seller.ts";
import { rankAt, type Spread } from "./spread.ts";

/** Everything that a file follows from; the same gives the same bytes. */
export interface FileRequest {
  readonly scenario: ScenarioName;
  /** Below the header, within `rowBounds`. */
  readonly rows: number;
  readonly layout: Layout;
  readonly seed: number;
  /** The date for which it does what the scenario says, from `FIRST_AS_OF` on. */
  readonly asOf: Day;
}

/** Characters that are handed out at once. */
const CHUNK = 64 * 1024;

/** The file of a scenario, piece by piece: nothing of it is kept. */
export function* scenarioFile(request: FileRequest): Generator<Uint8Array> {
  const file = new ScenarioFile(request);
  let text = file.header();
  for (const lines of file.entries()) {
    text += lines;
    if (text.length < CHUNK) continue;
    yield file.bytes(text);
    text = "";
  }
  yield file.bytes(text);
}

class ScenarioFile {
  readonly #request: FileRequest;
  readonly #scenario: Scenario;
  readonly #entries: number;
  readonly #spread: Spread | null;
  readonly #faults: readonly Change[];
  readonly #draw: Draw;
  readonly #numbers: EntryNumbers;
  /** Position of the column that the file lacks, -1 for none. */
  readonly #missing: number;

  constructor(request: FileRequest) {
    const { scenario, layout, rows, seed } = request;
    this.#request = request;
    this.#scenario = scenarioCalled(scenario);
    this.#entries = entriesIn(rows, layout);
    this.#spread = this.#scenario.special?.at(this.#entries, layout) ?? null;
    this.#faults = rowFaultsIn(layout);
    this.#draw = new Draw(`${seed}/${scenario}/${layout}`);
    this.#numbers = new EntryNumbers(this.#draw.below(10_000_000));
    const columns: readonly string[] = layout === "entry" ? ENTRY_COLUMNS : ES003_COLUMNS;
    const lacksColumn = this.#scenario.failureCode === "REQUIRED_COLUMN_MISSING";
    this.#missing = lacksColumn ? columns.indexOf("importer_number") : -1;
  }

  header(): string {
    return this.#line(this.#request.layout === "entry" ? ENTRY_COLUMNS : ES003_HEADER);
  }

  /** The lines of one entry after another. */
  *entries(): Generator<string> {
    const { layout } = this.#request;
    let left = this.#request.rows;
    for (let position = 0; position < this.#entries; position += 1) {
      const count = rowsOfEntry(position, left, layout);
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
    const kept = this.#missing === -1 ? cells : cells.toSpliced(this.#missing, 1);
    return `${kept.map(quoted).join(",")}\n`;
  }

  #rows(position: number, count: number): string[][] {
    const rank = this.#spread === null ? -1 : rankAt(this.#spread, position);
    const special = rank === -1 ? null : (this.#scenario.special?.as ?? null);
    const draft = this.#draft(position, special);
    const { asOf, layout } = this.#request;
    const whole = entryCells(draft);
    const own = layout === "entry" ? totalCells(draft) : goodsCells(draft);
    const change = this.#change(special, rank);
    const changes = change?.cells({
      cells: { ...whole, ...own },
      before: this.#before(position),
      entryDate: draft.circumstances.entryDate,
      asOf,
    });
    if (layout === "entry") return [entryRow([changes ?? UNCHANGED, own, whole])];
    const inGoods = changes ?? UNCHANGED;
    return es003Rows(draft, count, whole, {
      inGoods,
      inAll: change?.in === "goods row" ? UNCHANGED : inGoods,
    });
  }

  #before(position: number): string {
    return position === 0 ? "" : this.#numbers.ordinary(position - 1);
  }

  #draft(position: number, special: Special | null): Draft {
    const { isVaried, classifications } = this.#scenario;
    const all = classifications(this.#request.layout);
    const ordinary = all[position % all.length] ?? "unliquidated";
    const circumstances = circumstancesOf(special === "faulty" ? "unliquidated" : ordinary, {
      asOf: this.#request.asOf,
      isUrgent: isVaried && Math.floor(position / all.length) % 2 === 0,
      draw: this.#draw,
    });
    return makeDraft({
      circumstances,
      number: isScript(special)
        ? this.#numbers.scripted(special, position)
        : this.#numbers.ordinary(position),
      divisions: divisionsFor(this.#entries),
      isAffiliate: isVaried && position % AFFILIATE_STEP === 0,
      draw: this.#draw,
    });
  }

  #change(special: Special | null, rank: number): Change | null {
    switch (special) {
      case "faulty":
        return this.#faults[rank % this.#faults.length] ?? null;
      case "duplicate":
        return ROW_FAULTS.ENTRY_NUMBER_DUPLICATE;
      case "repaired":
        return ALL_REPAIRS[rank % ALL_REPAIRS.length] ?? null;
      case "accented":
        return ACCENTED;
      default:
        return null;
    }
  }
}

const UNCHANGED: Cells = {};

/** One importer in so many is not the seller. */
const AFFILIATE_STEP = 7;

const ACCENTED: Change = { cells: () => ({ importer_name: `${SCENARIO_SELLER} - Entrepôt` }) };

const isScript = (special: Special | null): special is Script =>
  special !== null && Object.hasOwn(SCENARIO_DIGITS, special);

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
