/** The filer code that no real filer has. */
export const RESERVED_FILER_CODE = "SBX";

/** The digit after the filer code that selects what happens to the run (product.md §5, "Scenario by data"). */
export const SCENARIO_DIGITS = { deferred: "1", fails_once: "2", fails_always: "3", slow: "4" } as const;

export type EntryScenario = keyof typeof SCENARIO_DIGITS;

const SCENARIO_BY_DIGIT = new Map<string, EntryScenario>(
  Object.entries(SCENARIO_DIGITS).map(([scenario, digit]) => [digit, scenario as EntryScenario]),
);

export function findEntryScenario(entryNumber: string): EntryScenario | null {
  if (!entryNumber.startsWith(RESERVED_FILER_CODE)) return null;
  return SCENARIO_BY_DIGIT.get(entryNumber.charAt(3)) ?? null;
}
