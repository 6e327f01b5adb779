import { fail, PASS, UNTOUCHED, untouched } from "./judge.ts";
import type { Judgement } from "./rule.ts";
import { isExecuted, isOperation, isOutcomeUnknown, isResult, jobInPath } from "./traffic.ts";
import type { LoggedRequest, PlainEnd, ProgramRun, Trial } from "./trial.ts";

/** Whether the requests do more than read the contract, or try addresses and credentials. */
export const doesSomething = ({ requests }: Pick<Trial, "requests">): boolean =>
  requests.some(
    (request) =>
      !isOperation(request, "document.openapi") && request.status !== 401 && request.status !== 404,
  );

/** The results that a program has read, such as `diligence.report`. */
const listReadResults = ({ requests }: Pick<Trial, "requests">): ReadonlySet<string> =>
  new Set(requests.flatMap((each) => (isResult(each) && isExecuted(each) ? (each.operation ?? []) : [])));

export function findPlainEnd(trial: Pick<Trial, "requests" | "runs">): PlainEnd {
  const isSilent = !doesSomething(trial);
  return { isSilent, exitCode: trial.runs.at(-1)?.exitCode ?? null, results: [...listReadResults(trial)] };
}

/** Whether a trial has ended as the plain one; then the program has nothing left for a second run. */
export const hasEndedPlainly = (trial: Pick<Trial, "requests" | "runs" | "plain">): boolean =>
  explainOtherEnd(trial) === null;

/** Whether the program stops with an error, in its second run too: a careful one leaves an open outcome to a person. */
export function leavesOutcomeOpen({ requests, runs }: Trial): boolean {
  const last = runs.at(-1);
  const submissions = requests.filter((request) => isOperation(request, "diligence.submit"));
  return (
    runs.length > 1 &&
    last?.endedBy === "itself" &&
    last.exitCode !== 0 &&
    submissions.length > 0 &&
    submissions.every((request) => isOutcomeUnknown(request) && !last.requests.includes(request))
  );
}

export const OPEN = untouched(
  "the program does not repeat a submission whose outcome is unknown; a person must look for the job",
);

/** Judges the end of a trial in which the plain end was possible. */
export function judgeEnd(trial: Trial): Judgement {
  const { plain, requests } = trial;
  if (plain === null || plain.isSilent) return UNTOUCHED;
  if (plain.exitCode !== 0) return untouched("the program does not exit 0 where everything works");
  if (leavesOutcomeOpen(trial)) return OPEN;
  const problem = explainOtherEnd(trial);
  return problem === null ? PASS : fail(problem, requests.slice(-4));
}

function explainOtherEnd(trial: Pick<Trial, "requests" | "runs" | "plain">): string | null {
  const { plain, runs } = trial;
  if (asksForForeignJob(trial))
    return "the program asks for a job that it has not submitted here: each scenario has a sandbox of its own, so keep your state in the folder of CLAIMS_CONFORMANCE_FILE";
  const last = runs.at(-1);
  const which = runs.length > 1 ? "in its second run, the program" : "the program";
  if (last?.endedBy === "timeout") return `${which} still runs when its time is over`;
  if (last?.exitCode !== 0) return `${which} ${describeExit(last)}, and exits 0 where everything works`;
  const read = listReadResults(trial);
  const missing = plain?.results.find((operation) => !read.has(operation));
  return missing === undefined ? null : `${which} exits 0 without reading the ${missing.split(".")[1]}`;
}

/** The first sign of a program that keeps its state from one scenario to the next. */
function asksForForeignJob({ requests }: Pick<Trial, "requests">): boolean {
  const first = requests.find(
    (request) => isOperation(request, "diligence.submit") || jobInPath(request) !== null,
  );
  return first?.status === 404 && jobInPath(first) !== null;
}

const describeExit = (run: ProgramRun | undefined): string =>
  run?.exitCode == null ? "ends by a signal" : `exits ${run.exitCode}`;

/** Exit 0 says that there is a result, in this run or one before: judges a program that reads results where everything works. */
export function judgeSuccess({ plain, runs }: Trial): Judgement {
  const own = runs.filter(({ endedBy }) => endedBy === "itself");
  if (plain === null || plain.results.length === 0 || own.length === 0) return UNTOUCHED;
  const until: LoggedRequest[] = [];
  for (const { endedBy, exitCode, requests } of runs) {
    until.push(...requests);
    if (endedBy === "itself" && exitCode === 0 && listReadResults({ requests: until }).size === 0)
      return fail("the program exits 0 without having read a result", until.slice(-4));
  }
  return PASS;
}
