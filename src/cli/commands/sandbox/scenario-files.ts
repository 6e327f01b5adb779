// One file of dist: the scenarios, and what writes their files.
export { FIRST_AS_OF } from "../../../domain/scenarios/circumstances.ts";
export { generateScenarioFile as scenarioFile } from "../../../domain/scenarios/csv-file.ts";
export { forecastOutcome as forecast } from "../../../domain/scenarios/forecast.ts";
export { getRowBounds as rowBounds } from "../../../domain/scenarios/rows.ts";
export { isScenarioName, SCENARIO_NAMES, getScenario as scenarioCalled } from "../../../domain/scenarios/scenarios.ts";
export { SCENARIO_SELLER } from "../../../domain/scenarios/seller.ts";
