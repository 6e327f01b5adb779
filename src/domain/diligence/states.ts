/** The states of a diligence job; `partial` and `failed` are documented, the rest is ours (product.md §5). */
export const JOB_STATES = ["queued", "processing", "completed", "partial", "failed"] as const;

export type JobState = (typeof JOB_STATES)[number];

/** Interface: a resume is for partial and failed jobs. */
export function canResume(state: JobState): boolean {
  return state === "partial" || state === "failed";
}

/** What a state's name means to a client that does not depend on assumed names. */
export type StateCategory = "completed" | "partial" | "failed" | "pending";

const SUCCESS_NAMES = new Set(["completed", "complete", "succeeded", "success", "done"]);

/** Reads the state of any service (product.md §4): an unknown name is "not finished yet". */
export function categorizeState(name: string): StateCategory {
  const lower = name.trim().toLowerCase();
  if (lower === "partial" || lower === "failed") return lower;
  return SUCCESS_NAMES.has(lower) ? "completed" : "pending";
}
