/** How a reserved entry number scripts the run (product.md §5, "Scenario by data"). */
export type EntryScenario = "deferred" | "fails_once" | "fails_always" | "slow";

/** The filer code that no real filer has. */
export const RESERVED_FILER_CODE = "SBX";

/** The digit after the filer code. */
export const SCENARIO_DIGITS = {
  deferred: "1",
  fails_once: "2",
  fails_always: "3",
  slow: "4",
} as const satisfies Record<EntryScenario, string>;

const BY_DIGIT = new Map(
  Object.entries(SCENARIO_DIGITS).map(([scenario, digit]) => [digit as string, scenario as EntryScenario]),
);

/** The scenario of a normalised entry number (11 characters), null for an ordinary one. */
export function findEntryScenario(entryNumber: string): EntryScenario | null {
  if (!entryNumber.startsWith(RESERVED_FILER_CODE)) return null;
  return BY_DIGIT.get(entryNumber.charAt(3)) ?? null;
}
