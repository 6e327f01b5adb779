import { judgeEach, requestRule } from "../judge.ts";
import { documented, type Rule } from "../rule.ts";
import { categoryInResponse, isExecuted, isOperation, isOutcomeUnknown, jobInPath } from "../traffic.ts";
import type { LoggedRequest, Trial } from "../trial.ts";

const isResume = (request: LoggedRequest) => isOperation(request, "diligence.resume");

/** Neither is a failure: the state may have changed since, and a resume may be repeated after a lost response. */
function hasReason(resume: LoggedRequest, { requests }: Trial): boolean {
  const earlier = requests.filter(
    (request) => request.number < resume.number && jobInPath(request) === jobInPath(resume),
  );
  const last = earlier.findLast(
    (request) =>
      isExecuted(request) &&
      isOperation(request, "diligence.status", "diligence.resume") &&
      hasEndedBefore(request, resume),
  );
  if (earlier.some((request) => isResume(request) && isOutcomeUnknown(request))) return true;
  if (!last) return false;
  const category = categoryInResponse(last);
  // A resume makes a job open again, whatever its response shows.
  return category === "partial" || category === "failed" || (category === null && !isResume(last));
}

const hasEndedBefore = ({ durationMs, arrivalOffsetMs }: LoggedRequest, later: LoggedRequest): boolean =>
  durationMs !== null && arrivalOffsetMs + durationMs <= later.arrivalOffsetMs;

export const RESUME_RULES: readonly Rule[] = [
  {
    id: "resume.state",
    ...documented("resume"),
    title: "resumes only a partial or failed job",
    fix: "read the status first, and resume the job only if it is partial or failed",
    scenarios: ["submit.ordinary", "submit.open", "job.partial", "job.failed"],
    judge: (trial) =>
      judgeEach(
        trial.requests.filter(
          (request) =>
            isResume(request) && (isExecuted(request) || request.problem?.code === "job_not_resumable"),
        ),
        (request) =>
          isExecuted(request) || hasReason(request, trial)
            ? null
            : "the program resumes a job that is neither partial nor failed",
      ),
  },
  requestRule({
    id: "resume.body",
    ...documented("resume"),
    title: "resumes a job without a body",
    fix: "send the resume without a body",
    scenarios: ["job.partial", "job.failed"],
    subjects: (requests) => requests.filter(isResume),
    findFault: ({ requestBody }) =>
      /^\s*(\{\s*\})?\s*$/.test(requestBody?.text ?? "") ? null : "a resume has a body",
  }),
];
