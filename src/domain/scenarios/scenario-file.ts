import { Buffer } from "node:buffer";
import { type EntryScenario, SCENARIO_DIGITS } from "../diligence/entry-scenario.ts";
import type { Day } from "../entries/dates.ts";
import type { Layout } from "../entries/entry.ts";
import { quoteCsvCell } from "../text.ts";
import { type CellChange, REPAIRABLE_CHANGES, rowFaultsFor } from "./cell-changes.ts";
import { countDivisions, draftEntry, numberEntry, type ScenarioEntry } from "./draft.ts";
import { FACTS_BUILDERS } from "./entry-facts.ts";
import { buildCells, type Cells, ROW_LAYOUTS } from "./rows.ts";
import {
  countEntries,
  countRowsOfEntry,
  getScenario,
  type ScenarioName,
  type SpecialKind,
} from "./scenarios.ts";
import { SeededRandom } from "./seeded-random.ts";

/** The same options give the same bytes. */
export interface ScenarioFileOptions {
  readonly scenario: ScenarioName;
  /** Without the header, at least `getMinRows`. */
  readonly rows: number;
  readonly layout: Layout;
  readonly seed: number;
  /** The submission date for which the scenario holds, from `FIRST_AS_OF`. */
  readonly asOf: Day;
}

const CHUNK_CHARACTERS = 64 * 1024;

export function* generateScenarioFile(options: ScenarioFileOptions): Generator<Uint8Array> {
  const { failureCode } = getScenario(options.scenario);
  const { header, buildRows } = ROW_LAYOUTS[options.layout];
  const formatLine = (cells: readonly string[]) => `${cells.map(quoteCsvCell).join(",")}\n`;
  let text = formatLine(header);
  let left = options.rows;
  for (const { position, entry, changes } of draftEntries(options)) {
    const count = countRowsOfEntry(position, left, options.layout);
    left -= count;
    const rows = buildRows(entry, changes, count);
    if (position === 0 && failureCode === "ROW_WIDTH") rows[0]?.pop();
    text += rows.map(formatLine).join("");
    if (text.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(text);
    text = "";
  }
  yield Buffer.from(text);
}

const AFFILIATE_STEP = 7;

function* draftEntries({ scenario, rows, layout, seed, asOf }: ScenarioFileOptions) {
  const { classifications: listClassifications, isVaried, specialEntries } = getScenario(scenario);
  const random = new SeededRandom(`${seed}/${scenario}/${layout}`);
  const firstSerial = random.integerBelow(10_000_000);
  const count = countEntries(rows, layout);
  const divisions = countDivisions(count);
  const classifications = listClassifications(layout);
  const faults = rowFaultsFor(layout);
  let previous: ScenarioEntry | null = null;
  for (let position = 0; position < count; position += 1) {
    const rank = specialEntries?.findRank(position, count, layout) ?? null;
    const special = rank === null ? null : (specialEntries?.as ?? null);
    const ordinary = classifications[position % classifications.length] ?? "unliquidated";
    const isUrgent = isVaried && Math.floor(position / classifications.length) % 2 === 0;
    const facts = FACTS_BUILDERS[special === "faulty" ? "unliquidated" : ordinary]({
      asOf,
      isUrgent,
      random,
    });
    const number = numberEntry(position, firstSerial, hasScript(special) ? special : null);
    const isAffiliate = isVaried && position % AFFILIATE_STEP === 0;
    const entry = draftEntry(number, facts, { divisions, isAffiliate }, random);
    const change = chooseChange(special, rank ?? 0, faults);
    const before = previous;
    previous = entry;
    const cells = change?.cells({
      cells: buildCells(entry),
      previousCells: () => (before === null ? UNCHANGED : buildCells(before)),
      entryDate: entry.facts.entryDate,
      asOf,
    });
    yield { position, entry, changes: { cells: cells ?? UNCHANGED, inAll: change?.in !== "goods row" } };
  }
}

const UNCHANGED: Cells = {};

function chooseChange(
  special: SpecialKind | null,
  rank: number,
  faults: readonly CellChange[],
): CellChange | null {
  switch (special) {
    case "faulty":
      return faults[rank % faults.length] ?? null;
    case "repaired":
      return REPAIRABLE_CHANGES[rank % REPAIRABLE_CHANGES.length] ?? null;
    default:
      return null;
  }
}

const hasScript = (special: SpecialKind | null): special is EntryScenario =>
  special !== null && Object.hasOwn(SCENARIO_DIGITS, special);
