// One file of dist: the scenarios, and what writes their files.
export { FIRST_AS_OF } from "../../../domain/scenarios/entry-facts.ts";
export { forecastOutcome } from "../../../domain/scenarios/forecast.ts";
export { getRowBounds } from "../../../domain/scenarios/rows.ts";
export { generateScenarioFile } from "../../../domain/scenarios/scenario-file.ts";
export { getScenario, isScenarioName, SCENARIO_NAMES } from "../../../domain/scenarios/scenarios.ts";
export { SCENARIO_SELLER } from "../../../domain/scenarios/seller.ts";
