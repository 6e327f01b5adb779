import { Buffer } from "node:buffer";
import type { Day } from "../entries/dates.ts";
import type { Layout } from "../entries/entry.ts";
import { RandomNumbers } from "../random-numbers.ts";
import { quoteCsvCell } from "../text.ts";
import { countDivisions, draftEntry, FACTS_BUILDERS, numberEntry } from "./draft.ts";
import { type Cells, ROW_LAYOUTS } from "./rows.ts";
import { countEntries, countRowsOfEntry, getScenario, type ScenarioName } from "./scenarios.ts";

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
  for (const { position, entry, changedCells } of draftEntries(options)) {
    const count = countRowsOfEntry(position, left, options.layout);
    left -= count;
    const rows = buildRows(entry, changedCells, count);
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
  const { classifications: listClassifications, findSpecial, isVaried } = getScenario(scenario);
  const random = RandomNumbers.fromKey(`${seed}/${scenario}/${layout}`);
  const firstSerial = random.integerBelow(10_000_000);
  const count = countEntries(rows, layout);
  const divisions = countDivisions(count);
  const classifications = listClassifications(layout);
  for (let position = 0; position < count; position += 1) {
    const { script = null, faultyCells } = findSpecial(position, count) ?? {};
    const ordinary = classifications[position % classifications.length] ?? "unliquidated";
    const isUrgent = isVaried && Math.floor(position / classifications.length) % 2 === 0;
    const facts = FACTS_BUILDERS[faultyCells ? "unliquidated" : ordinary]({ asOf, isUrgent, random });
    const number = numberEntry(position, firstSerial, script);
    const isAffiliate = isVaried && position % AFFILIATE_STEP === 0;
    const entry = draftEntry(number, facts, { divisions, isAffiliate }, random);
    yield { position, entry, changedCells: faultyCells ?? UNCHANGED };
  }
}

const UNCHANGED: Cells = {};
