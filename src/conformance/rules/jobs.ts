import { judgeEnd } from "../ends.ts";
import { fail, inScenario, mergeJudgements, PASS, UNTOUCHED } from "../judge.ts";
import { assumed, type Judgement, type Rule } from "../rule.ts";
import {
  categoryInResponse,
  findRush,
  isExecuted,
  isOperation,
  isResult,
  isUnknownState,
  jobInPath,
  stateInResponse,
} from "../traffic.ts";
import type { LoggedRequest, ProgramRun } from "../trial.ts";

const isPoll = (request: LoggedRequest): boolean => isOperation(request, "diligence.status");

const groupByJob = (requests: readonly LoggedRequest[]): LoggedRequest[][] =>
  [...new Set(requests.map(jobInPath))].map((job) => requests.filter((each) => jobInPath(each) === job));

function judgeStates({ endedBy, requests }: ProgramRun): Judgement[] {
  return groupByJob(requests.filter((each) => isPoll(each) && isExecuted(each))).map((polls) => {
    if (!polls.some((request) => isUnknownState(stateInResponse(request)))) return UNTOUCHED;
    const last = polls.at(-1);
    if (!last || !isUnknownState(stateInResponse(last))) return PASS;
    // A report that is there shows the end, whatever its word is.
    const isRead = (each: LoggedRequest) => isResult(each) && isExecuted(each) && each.number > last.number;
    if (requests.some(isRead)) return PASS;
    // A program that was ended may have been about to poll again.
    return endedBy === "itself"
      ? fail("the program stops at a state that it does not know", [last])
      : UNTOUCHED;
  });
}

/** Reads of an ended job that a program may make, as for a progress display, before it counts as waiting for more. */
const MAX_POLLS_OF_ENDED_JOB = 10;

const isPollOfEnded = (request: LoggedRequest): boolean => {
  const category = isPoll(request) ? categoryInResponse(request) : null;
  return category === "failed" || category === "partial";
};

const showsNoSuccess = (request: LoggedRequest): boolean =>
  isPollOfEnded(request) || request.problem?.code === "job_failed";

export const JOB_RULES: readonly Rule[] = [
  {
    id: "job.poll_rate",
    ...assumed("limits"),
    title: "waits between two polls of a job",
    fix: "wait before each poll, as long as Retry-After says or a second, and longer after each",
    scenarios: "any",
    shownBy: ["submit.open"],
    judge: (trial) =>
      mergeJudgements(
        trial.runs
          .flatMap(({ requests }) => [
            // A program may read status and report at once, before each pause.
            ...groupByJob(requests.filter(isPoll)),
            ...groupByJob(requests.filter((each) => isOperation(each, "diligence.report"))),
          ])
          .map((reads) => {
            if (reads.length < 2) return UNTOUCHED;
            const rush = findRush(reads);
            return rush.length > 0 ? fail("the program polls the job without a pause", rush) : PASS;
          }),
      ),
  },
  {
    id: "job.wait",
    ...assumed("states"),
    title: "waits for the end of a job that stays open for a while, and reads its results",
    fix: "poll until the job has ended, for minutes if need be, and read the results then",
    scenarios: ["submit.open"],
    judgesEnd: true,
    judge: inScenario(({ requests }) => (requests.some(isPoll) ? PASS : UNTOUCHED)),
  },
  {
    id: "job.unknown_state",
    ...assumed("states"),
    title: "waits through a state that it does not know",
    fix: "treat a state that the interface does not name as not final, and poll again",
    scenarios: ["job.unknown_state"],
    judgesEnd: true,
    // A test of a suite may read a job once, and leave it.
    judge: inScenario((trial) => mergeJudgements(trial.runs.flatMap(judgeStates))),
  },
  /** A program that only submits reports no result. */
  {
    id: "job.failure",
    ...assumed("job.states"),
    title: "ends with another code than 0 when the job has failed or stays partial",
    fix: "stop at partial and failed, which stay until a resume, and exit with another code than 0, so that cron and CI notice it",
    scenarios: ["job.failed", "job.partial"],
    judge(trial) {
      const { scenario, requests, runs, plain } = trial;
      const last = runs.at(-1);
      if (scenario === null || !last || plain === null || plain.isSilent) return UNTOUCHED;
      const resume = requests.find((each) => isOperation(each, "diligence.resume") && isExecuted(each));
      const shown = requests.filter((request) => jobInPath(request) !== null).slice(-4);
      if (last.endedBy === "timeout") return fail("the program still runs when its time is over", shown);
      if (scenario === "job.partial" && resume) return judgeEnd(trial);
      // A program that submits a file of its own has another job.
      if (plain.results.length === 0 || !requests.some(showsNoSuccess)) return UNTOUCHED;
      const ended = requests.slice(0, resume && requests.indexOf(resume)).filter(isPollOfEnded);
      if (ended.length > MAX_POLLS_OF_ENDED_JOB)
        return fail("the program polls on after the job has ended", ended.slice(-2));
      const how = scenario === "job.failed" ? "has failed" : "is partial";
      return last.exitCode === 0 ? fail(`the program exits 0, and its job ${how}`, shown) : PASS;
    },
  },
];
