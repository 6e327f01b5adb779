import { Buffer } from "node:buffer";
import type { Day } from "../entries/dates.ts";
import type { Layout } from "../entries/entry.ts";
import { RandomNumbers } from "../random-numbers.ts";
import { quoteCsvCell } from "../text.ts";
import { draftEntry } from "./draft.ts";
import { buildRows, ROW_LAYOUTS } from "./rows.ts";
import type { ScenarioName } from "./scenario-names.ts";
import { countEntries, countRowsOfEntry, getScenario } from "./scenarios.ts";

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

const formatLine = (cells: readonly string[]) => `${cells.map(quoteCsvCell).join(",")}\n`;

export function* generateScenarioFile(options: ScenarioFileOptions): Generator<Uint8Array> {
  const { scenario, layout, seed, asOf } = options;
  const { planEntry, failureCode } = getScenario(scenario);
  const random = RandomNumbers.fromKey(`${seed}/${scenario}/${layout}`);
  const context = { asOf, random, firstSerial: random.integerBelow(10_000_000) };
  const entries = countEntries(options.rows, layout);
  let left = options.rows;
  let text = formatLine(ROW_LAYOUTS[layout].header);
  for (let position = 0; position < entries; position += 1) {
    const { faultyCells = {}, ...plan } = planEntry(position, entries, layout);
    const count = countRowsOfEntry(left, layout);
    left -= count;
    const rows = buildRows(draftEntry(position, plan, context), layout, count, faultyCells);
    if (position === 0 && failureCode === "ROW_WIDTH") rows[0]?.pop();
    text += rows.map(formatLine).join("");
    if (text.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(text);
    text = "";
  }
  yield Buffer.from(text);
}
