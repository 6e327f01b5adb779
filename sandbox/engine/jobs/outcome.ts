import type { FileProgress } from "../../../src/domain/diligence/assessment.ts";
import type { JobState } from "../../../src/domain/diligence/states.ts";
import type { FileFindings, JobFailure, ScriptedFailure } from "../../store/jobs.ts";

export interface RunOutcome {
  readonly state: JobState;
  readonly failure: JobFailure | null;
  readonly progress: FileProgress;
}

/** How run `run` (from 1) of a job ends: the first problem in the file decides, or one of the whole file without a line. */
export function resolveOutcome(findings: FileFindings, run: number): RunOutcome {
  const { fileError, progress } = findings;
  const scripted = run === 1 ? pickEarlier(findings.failsOnce, findings.failsAlways) : findings.failsAlways;
  if (scripted && (!fileError || scripted.line < (fileError.line ?? 0))) {
    const { line } = scripted;
    const detail = `The entry number on line ${line} scripts this failure (filer code SBX).`;
    const failure = { code: "scenario_failure", detail, line };
    return { state: "failed", failure, progress: scripted.progress };
  }
  if (fileError) return { state: "failed", failure: fileError, progress };
  const deferred = run === 1 ? findings.deferred : 0;
  const entriesAccepted = progress.entriesAccepted - deferred;
  const state = deferred > 0 ? "partial" : "completed";
  return { state, failure: null, progress: { ...progress, entriesAccepted } };
}

function pickEarlier(one: ScriptedFailure | null, other: ScriptedFailure | null): ScriptedFailure | null {
  if (!one || !other) return one ?? other;
  return one.line < other.line ? one : other;
}
