import type { JobState } from "../../../src/domain/diligence/states.ts";
import type { FileFindings, FileProgress, JobFailure, ScriptedFailure } from "../../store/jobs.ts";

export interface RunOutcome {
  readonly state: JobState;
  readonly failure: JobFailure | null;
  readonly progress: FileProgress;
}

/**
 * How run `run` (1 = the first) of a job ends. What comes first in the file decides: a row that scripts a failure or
 * the file's fault; a fault without a line is one of the whole file.
 */
export function resolveOutcome(findings: FileFindings, run: number): RunOutcome {
  const { fileError: fault, progress } = findings;
  const breakdown = run === 1 ? pickEarlier(findings.failsOnce, findings.failsAlways) : findings.failsAlways;
  if (breakdown && (!fault || breakdown.line < (fault.line ?? 0))) {
    return { state: "failed", failure: toFailure(breakdown), progress: breakdown.progress };
  }
  if (fault) return { state: "failed", failure: fault, progress };
  const deferred = run === 1 ? findings.deferred : 0;
  const entriesAccepted = progress.entriesAccepted - deferred;
  const state = deferred > 0 ? "partial" : "completed";
  return { state, failure: null, progress: { ...progress, entriesAccepted } };
}

function pickEarlier(one: ScriptedFailure | null, other: ScriptedFailure | null): ScriptedFailure | null {
  if (!one || !other) return one ?? other;
  return one.line < other.line ? one : other;
}

const toFailure = ({ line }: ScriptedFailure): JobFailure => ({
  code: "scenario_failure",
  detail: `The entry number on line ${line} scripts this failure (filer code SBX).`,
  line,
});
