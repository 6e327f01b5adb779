import { judgeSuccess } from "../ends.ts";
import {
  eachRun,
  fail,
  inScenario,
  judgeEach,
  mergeJudgements,
  PASS,
  UNTOUCHED,
  untouched,
} from "../judge.ts";
import { assumed, documented, type Judgement, type Rule } from "../rule.ts";
import { PLAIN_SCENARIO, SCENARIOS, type ScenarioId } from "../scenarios.ts";
import {
  contractHashOf,
  describeRequest,
  isExecuted,
  isOperation,
  isResult,
  isUnknownState,
  jobInPath,
  listContractReads,
  stateInResponse,
} from "../traffic.ts";
import type { LoggedRequest, ProgramRun } from "../trial.ts";

const listResults = (requests: readonly LoggedRequest[]) =>
  (["diligence.report", "diligence.dataset"] as const).map((operation) =>
    requests.filter((request) => isOperation(request, operation) && isExecuted(request)),
  ) as [LoggedRequest[], LoggedRequest[]];

function judgeResults({ requests }: ProgramRun): Judgement {
  const [reports, datasets] = listResults(requests);
  if (reports.length === 0 || datasets.length === 0) return UNTOUCHED;
  const jobs = reports.map(jobInPath);
  if (datasets.some((request) => jobs.includes(jobInPath(request)))) return PASS;
  return fail("the report is of one job, and the dataset of another", requests.filter(isReadResult));
}

const isReadResult = (request: LoggedRequest) => isResult(request) && isExecuted(request);

function judgeContracts({ endedBy, exitCode, requests }: ProgramRun): Judgement {
  const contracts = listContractReads(requests);
  const results = requests.filter(isReadResult);
  const seen = new Set([...contracts, ...results].map(contractHashOf));
  const [reports, datasets] = listResults(requests);
  if (endedBy !== "itself" || results.length === 0 || seen.size < 2) return UNTOUCHED;
  if (contracts.length === 0) return untouched("the program does not read the contract");
  if (exitCode !== 0) return PASS;
  if (reports.length === 0 || datasets.length === 0) return UNTOUCHED;
  const isSame = (one: LoggedRequest, other: LoggedRequest) =>
    jobInPath(one) === jobInPath(other) && contractHashOf(one) === contractHashOf(other);
  if (reports.some((report) => datasets.some((dataset) => isSame(report, dataset)))) return PASS;
  if (new Set(contracts.map(contractHashOf)).size < 2)
    return untouched("the program reads the contract on one side of the change only");
  return fail("the program reads two contracts, a result of each, and exits 0", [...contracts, ...results]);
}

export const RESULT_RULES: readonly Rule[] = [
  /** Otherwise a failure of the program itself would only leave its rules untouched. */
  {
    id: "results.plain",
    ...assumed("job.results"),
    title: "exits 0 where everything works",
    fix: "look at what the program prints with --verbose",
    scenarios: [PLAIN_SCENARIO],
    judge({ scenario, plain: end, requests }) {
      if (scenario === null || end === null || end.isSilent) return UNTOUCHED;
      if (end.exitCode === 0) return PASS;
      const how = end.exitCode === null ? "does not end" : `exits ${end.exitCode}`;
      const last = requests.at(-1);
      const refusal = last?.problem
        ? ` after ${describeRequest(last)} gets ${[last.problem.code, ...last.problem.errors.map(({ location }) => location)].join(" ")}`
        : "";
      return fail(`the program ${how}${refusal}`, requests.slice(-2));
    },
  },
  {
    id: "results.success",
    ...assumed("job.results"),
    title: "exits 0 only after it has read a result",
    fix: "exit with another code than 0 if there is no report and no dataset, for whatever reason",
    scenarios: (Object.keys(SCENARIOS) as ScenarioId[]).filter(
      (id) => SCENARIOS[id].end === "results" && id !== PLAIN_SCENARIO,
    ),
    judge: judgeSuccess,
  },
  /** At a word that a program does not know, only the report can show whether the job has ended. */
  {
    id: "results.final",
    ...assumed("errors"),
    title: "requests report and dataset only after the job has ended",
    fix: "poll the status until the state is final, then request the report",
    scenarios: ["submit.ordinary", "submit.open", "submit.killed"],
    judge: ({ requests }) =>
      judgeEach(
        requests.filter((request) => isResult(request) && (isExecuted(request) || request.problem !== null)),
        ({ operation, problem, number }) => {
          const isPoll = (each: LoggedRequest) =>
            each.number < number && isOperation(each, "diligence.status");
          const last = requests.findLast((each) => isPoll(each) && isExecuted(each));
          if (problem?.code !== "report_not_ready" || (last && isUnknownState(stateInResponse(last))))
            return null;
          return `the program requests the ${operation?.replace(/^.*\./, "")} of a job that has not ended`;
        },
      ),
  },
  {
    id: "results.pinned",
    ...documented("results.pinned"),
    title: "reads report and dataset of one job",
    fix: "read the dataset with the job id of the report",
    scenarios: "any",
    judge(trial) {
      const judgement = mergeJudgements(trial.runs.map(judgeResults));
      // Several tests of a suite may read a report here and a dataset there.
      return trial.scenario === null && judgement.verdict === "fail" ? UNTOUCHED : judgement;
    },
  },
  /** Only the contract shows a version (interface §9.5), so a program that does not read it again cannot notice the change. */
  {
    id: "results.contract",
    ...documented("results.pinned"),
    title: "does not succeed with report and dataset of two contracts that it has both read",
    fix: "read the contract before and after the results; if its hash changed, read both results again",
    scenarios: ["results.contract"],
    judge: inScenario(eachRun(judgeContracts)),
  },
];
