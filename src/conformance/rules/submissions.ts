import { submission } from "../../contract/operations/diligence.ts";
import { leavesOutcomeOpen, OPEN } from "../ends.ts";
import { eachRun, fail, fieldRule, inScenario, PASS, requestRule, UNTOUCHED, untouched } from "../judge.ts";
import { assumed, documented, type Judgement, type Rule } from "../rule.ts";
import { LOST_SUBMISSIONS } from "../scenarios.ts";
import {
  describeType,
  isExecuted,
  isMultipart,
  isOperation,
  isOutcomeUnknown,
  isRepeat,
  isResult,
  jobInPath,
  jobOfSubmission,
  requestHeader,
} from "../traffic.ts";
import type { LoggedRequest, ProgramRun, Trial } from "../trial.ts";

const isSubmission = (request: LoggedRequest) => isOperation(request, "diligence.submit");

const PARTS = Object.keys(submission.properties);

const FLAG = "requires_protest_documentation";

const listFlags = ({ requestBody }: LoggedRequest): string[] =>
  (requestBody?.fields ?? []).flatMap(([name, value]) => (name === FLAG ? value : []));

/** @param isAllowed for a value of the flag */
const flagRule = (
  isAllowed: (value: string) => boolean,
  facts: Pick<Rule, "id" | "basis" | "title" | "fix">,
): Rule =>
  requestRule({
    ...facts,
    statement: "submit.requires_protest_documentation",
    subjects: (requests) => requests.filter((each) => isSubmission(each) && listFlags(each).length > 0),
    findFault: (request) => {
      const wrong = listFlags(request).find((value) => !isAllowed(value));
      return wrong === undefined ? null : `a submission has ${FLAG} = ${JSON.stringify(wrong)}`;
    },
  });

const isBoolean = (value: string): boolean => /^(true|false)$/i.test(value);

interface Submission {
  readonly request: LoggedRequest;
  readonly job: string;
}

const listSubmittedJobs = ({ requests }: ProgramRun): readonly Submission[] =>
  requests.flatMap((request) => {
    const job = jobOfSubmission(request);
    return job === null ? [] : { request, job };
  });

/**
 * Exit 0 says that the job has ended well; 202 means only that it is queued. A program that only submits may leave its job open
 * if it prints the id and asks nothing about it.
 */
function judgeExit(run: ProgramRun): Judgement {
  const { requests } = run;
  const submissions = listSubmittedJobs(run);
  if (run.endedBy === "scenario" || submissions.length === 0) return UNTOUCHED;
  if (run.exitCode !== 0) return PASS;
  const openIds = run.openJobs.map((id) => id.toLowerCase());
  const open = submissions.filter(({ job }) => openIds.includes(job));
  if (open.length === 0) return PASS;
  const isAskedAbout = (job: string) => requests.some((request) => jobInPath(request) === job);
  const mayStayOpen = (job: string) => hasId(run.output, job) && !isAskedAbout(job);
  const unfinished = open.filter(({ job }) => !mayStayOpen(job));
  if (unfinished.length === 0) return untouched("the program only submits, and prints the job id");
  const isAbout = (request: LoggedRequest) =>
    unfinished.some((each) => each.request === request || each.job === jobInPath(request));
  return fail("the program exits 0 while its job is open", requests.filter(isAbout));
}

const hasId = (output: string, job: string): boolean => output.toLowerCase().includes(job);

/** Whether one file became one job, and the results that were read are of that job. */
function judgeJobs({ requests }: Trial): Judgement {
  const executed = requests.filter((request) => isSubmission(request) && isExecuted(request));
  const [first] = executed;
  if (!first) return UNTOUCHED;
  const again = executed.filter((other) => !other.idempotentReplay && isRepeat(other, first));
  if (again.length > 0) return fail("one file became several jobs", [first, ...again]);
  const jobs = executed.map(jobOfSubmission);
  const other = requests.find((request) => isResult(request) && !jobs.includes(jobInPath(request)));
  return other ? fail("the results are not those of the submitted job", [first, other]) : PASS;
}

/** Whether the second run still knows the jobs whose ids the first one got before it was killed. */
function judgeMemory(trial: Trial): Judgement {
  const [killed, second] = trial.runs;
  if (trial.scenario === null || killed?.endedBy !== "scenario" || !second) return UNTOUCHED;
  const known = listSubmittedJobs(killed).filter(({ request }) => request.outcome === "answered");
  if (known.length === 0) return UNTOUCHED;
  const resubmitted = listSubmittedJobs(second);
  const isPrinted = (job: string) => trial.runs.some(({ output }) => hasId(output, job));
  const [again] = resubmitted;
  const unprompted = second.requests.filter(({ number }) => !again || number < again.request.number);
  const isRead = (job: string) => unprompted.some((request) => jobInPath(request) === job);
  const forgotten = known.filter(({ job }) => !isPrinted(job) && !isRead(job));
  if (forgotten.length === 0) return PASS;
  // A second run that submits nothing may have failed for another reason.
  if (resubmitted.length === 0) return UNTOUCHED;
  // The interface does not say that a key gets the same job again.
  const isRepeated = forgotten.every(({ job }) => resubmitted.some((other) => other.job === job));
  if (isRepeated)
    return untouched("the second run submits again under its key, and does not need the job id");
  const shown = [...forgotten, ...resubmitted].map(({ request }) => request);
  return fail("the second run submits again, and the job of the first run is forgotten", shown);
}

export const SUBMISSION_RULES: readonly Rule[] = [
  requestRule({
    id: "submit.multipart",
    ...documented("submit"),
    title: "submits a multipart form",
    fix: "send multipart/form-data; let the HTTP client write the Content-Type with its boundary",
    subjects: (requests) => requests.filter(isSubmission),
    findFault: (request) => (isMultipart(request) ? null : `a submission has ${describeType(request)}`),
  }),
  fieldRule({
    id: "submit.parts",
    ...documented("submit.seller_name"),
    title: `submits the three parts ${PARTS.join(", ")}`,
    fix: `send the text parts seller_name and requires_protest_documentation and the file part file`,
    operation: "diligence.submit",
    isFault: (field, code) => PARTS.includes(field) && (code === "required" || code === "not_a_file"),
  }),
  requestRule({
    id: "submit.csv",
    ...documented("submit.file"),
    title: "submits the file as text/csv",
    fix: "give the part file the Content-Type text/csv",
    // A Content-Encoding is refused in the same way.
    subjects: (requests) =>
      requests.filter(
        (request) =>
          isSubmission(request) &&
          isMultipart(request) &&
          (isExecuted(request) || request.problem?.code === "unsupported_media_type") &&
          requestHeader(request, "content-encoding") === null,
      ),
    findFault: ({ problem }) => (problem ? "a submission has a file that is not text/csv" : null),
  }),
  flagRule(isBoolean, {
    id: "submit.boolean",
    basis: "documented",
    title: `submits ${FLAG} as a boolean in text`,
    fix: `send ${FLAG} as the text true or false`,
  }),
  /** The interface shows a boolean as text, not its case. */
  flagRule((value) => !isBoolean(value) || value === value.toLowerCase(), {
    id: "submit.boolean_case",
    basis: "assumed",
    title: `writes ${FLAG} in lower case`,
    fix: "send true or false, not True or False",
  }),
  {
    id: "submit.queued",
    ...documented("submit.queued"),
    title: "reports neither 202 nor a state that is not final as success",
    fix: "exit 0 only when the job has ended well; 202 means queued",
    scenarios: ["submit.open"],
    judge: inScenario(eachRun(judgeExit)),
  },
  /** A job id that either run prints counts as recorded. */
  {
    id: "submit.job_id",
    ...documented("job.record"),
    title: "keeps the job id if it is killed after the response to the submission",
    fix: "write the job id to disk as soon as the response has it, and continue with that job in the next run",
    scenarios: ["submit.killed"],
    judge: judgeMemory,
  },
  /** Keys help only while the program has the key. */
  {
    id: "submit.continues",
    ...assumed("errors"),
    title: "continues with the recorded job when it runs again",
    fix: "read the job id that the run before has recorded, and read that job instead of submitting again",
    scenarios: ["submit.killed"],
    judgesEnd: true,
    judge: inScenario(judgeJobs),
  },
  {
    id: "submit.lost_answer",
    ...assumed("errors"),
    title: "makes one job, and reads that one, when the response to a submission is lost",
    fix: "store an Idempotency-Key before each submission, and repeat the submission with it, also in the next run",
    scenarios: LOST_SUBMISSIONS,
    judgesEnd: true,
    judge(trial) {
      if (trial.scenario === null || !trial.requests.some(isOutcomeUnknown)) return UNTOUCHED;
      return leavesOutcomeOpen(trial) ? OPEN : judgeJobs(trial);
    },
  },
];
