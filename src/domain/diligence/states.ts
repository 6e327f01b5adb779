/** The states of a diligence job. `partial` and `failed` are documented, the others are assumed (product.md §5). */
export const JOB_STATES = ["queued", "processing", "completed", "partial", "failed"] as const;

export type JobState = (typeof JOB_STATES)[number];

export const isKnownState = (name: string): boolean => (JOB_STATES as readonly string[]).includes(name);

/** Interface: a resume is for partial and failed jobs. */
export const canResume = (state: JobState): boolean => state === "partial" || state === "failed";

/** What the name of a state means to a client that does not depend on assumed names. */
export type StateCategory = "completed" | "partial" | "failed" | "pending";

const SUCCESS_NAMES = new Set(["completed", "complete", "succeeded", "success", "done"]);

/** Categorizes the state of any service (product.md §4). An unknown name means "not finished yet". */
export function categorizeState(name: string): StateCategory {
  const lower = name.trim().toLowerCase();
  if (lower === "partial" || lower === "failed") return lower;
  return SUCCESS_NAMES.has(lower) ? "completed" : "pending";
}
