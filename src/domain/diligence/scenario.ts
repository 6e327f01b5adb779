/** How a reserved entry number scripts the run (product.md §5, "Scenario by data"). */
export type Scenario = "deferred" | "fails_once" | "fails_always" | "slow";

const BY_DIGIT: Readonly<Record<string, Scenario>> = {
  "1": "deferred",
  "2": "fails_once",
  "3": "fails_always",
  "4": "slow",
};

/** The scenario of a normalised entry number (11 characters), null for an ordinary one. */
export function scenarioOf(entryNumber: string): Scenario | null {
  if (!entryNumber.startsWith("SBX")) return null;
  return BY_DIGIT[entryNumber.charAt(3)] ?? null;
}
