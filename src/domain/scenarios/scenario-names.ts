// Apart from the scenarios, whose rules a command line that only names one does not need.
export const SCENARIO_NAMES = [
  "clean",
  "mixed",
  "rejected-rows",
  "declined",
  "partial",
  "fails-once",
  "fails-always",
  "slow",
  "row-width",
] as const;

export type ScenarioName = (typeof SCENARIO_NAMES)[number];
