import type { FileProgress } from "../../../src/domain/diligence/assessment.ts";
import type { JobState } from "../../../src/domain/diligence/states.ts";
import type { FileFindings, JobFailure } from "../../store/jobs.ts";

export interface RunOutcome {
  readonly state: JobState;
  readonly failure: JobFailure | null;
  readonly progress: FileProgress;
}

/** How run `run` (from 1) of a job ends: the first problem in the file decides, or one of the whole file without a line. */
export function resolveOutcome(findings: FileFindings, run: number): RunOutcome {
  const { fileError, progress } = findings;
  const line = run === 1 ? pickEarlier(findings.failsOnce, findings.failsAlways) : findings.failsAlways;
  if (line !== null && (!fileError || line < (fileError.line ?? 0))) {
    const detail = `The entry number on line ${line} scripts this failure (filer code SBX).`;
    return { state: "failed", failure: { code: "scenario_failure", detail, line }, progress };
  }
  if (fileError) return { state: "failed", failure: fileError, progress };
  const deferred = run === 1 ? findings.deferred : 0;
  const entriesAccepted = progress.entriesAccepted - deferred;
  const state = deferred > 0 ? "partial" : "completed";
  return { state, failure: null, progress: { ...progress, entriesAccepted } };
}

const pickEarlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);
