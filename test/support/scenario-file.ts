import { parseIsoDay } from "../../src/domain/entries/dates.ts";
import type { Layout } from "../../src/domain/entries/entry.ts";
import { generateScenarioFile } from "../../src/domain/scenarios/scenario-file.ts";
import type { ScenarioName } from "../../src/domain/scenarios/scenario-names.ts";
import { countEntries, FAULTY_CELLS } from "../../src/domain/scenarios/scenarios.ts";

/** The bytes of an entry file with a known outcome. Another seed makes other entries. */
export function createScenarioFile(scenario: ScenarioName, seed: number, rows = 20): Buffer {
  const asOf = parseIsoDay("2026-11-20") ?? 0;
  return Buffer.concat([...generateScenarioFile({ scenario, rows, layout: "entry", seed, asOf })]);
}

/** The entries of a file, and how many of them a first run rejects or defers. */
export function forecastOutcome(name: ScenarioName, layout: Layout, rows: number) {
  const entries = countEntries(rows, layout);
  return {
    entries,
    rejected: name === "rejected-rows" ? FAULTY_CELLS.length : 0,
    deferred: name === "partial" ? Math.floor(entries / 10) : 0,
  };
}
