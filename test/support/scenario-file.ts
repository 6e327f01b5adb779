import { parseIsoDay } from "../../src/domain/entries/dates.ts";
import type { Layout } from "../../src/domain/entries/entry.ts";
import { rowFaultsFor } from "../../src/domain/scenarios/cell-changes.ts";
import { generateScenarioFile } from "../../src/domain/scenarios/scenario-file.ts";
import { countEntries, type ScenarioName } from "../../src/domain/scenarios/scenarios.ts";

/** The bytes of an entry file with a known outcome. Another seed makes other entries. */
export function createScenarioFile(scenario: ScenarioName, seed: number, rows = 20): Buffer {
  const asOf = parseIsoDay("2026-11-20") ?? 0;
  return Buffer.concat([...generateScenarioFile({ scenario, rows, layout: "entry", seed, asOf })]);
}

/** The entries of a file, and how many of them a first run rejects or defers. */
export function forecastOutcome(name: ScenarioName, layout: Layout, rows: number) {
  const entries = countEntries(rows, layout);
  const rejected = {
    "rejected-rows": rowFaultsFor(layout).length,
    "too-many-rejected": Math.floor((entries + 1) / 3),
  };
  return {
    entries,
    rejected: name in rejected ? rejected[name as keyof typeof rejected] : 0,
    deferred: name === "partial" ? Math.floor(entries / 10) : 0,
  };
}
