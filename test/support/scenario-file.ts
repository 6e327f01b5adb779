import { parseIsoDay } from "../../src/domain/entries/dates.ts";
import { generateScenarioFile } from "../../src/domain/scenarios/scenario-file.ts";
import type { ScenarioName } from "../../src/domain/scenarios/scenarios.ts";

/** The bytes of an entry file with a known outcome. Another seed makes other entries. */
export function createScenarioFile(scenario: ScenarioName, seed: number, rows = 20): Buffer {
  const asOf = parseIsoDay("2026-11-20") ?? 0;
  return Buffer.concat([...generateScenarioFile({ scenario, rows, layout: "entry", seed, asOf })]);
}
