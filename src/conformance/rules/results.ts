import { fail, judgeEach, mergeJudgements, PASS, UNTOUCHED } from "../judge.ts";
import type { Judgement, Rule } from "../rule.ts";
import { isExecuted, isOperation, jobInPath, listRuns, type RunTraffic } from "../traffic.ts";
import type { TrafficRequest } from "../trial.ts";

const isResult = (request: TrafficRequest) => isOperation(request, "diligence.report", "diligence.dataset");

const final: Rule = {
  id: "results.final",
  basis: "assumed",
  statement: "errors",
  title: "requests report and dataset only after the job has ended",
  fix: "poll the status until the state is final, then request the report",
  scenarios: ["submit.ordinary", "submit.open", "submit.killed"],
  judge: ({ requests }) =>
    judgeEach(
      requests.filter((request) => isResult(request) && (isExecuted(request) || request.problem !== null)),
      ({ operation, problem }) =>
        problem?.code === "report_not_ready"
          ? `the program requests the ${operation?.replace(/^.*\./, "")} of a job that has not ended`
          : null,
    ),
};

const pinned: Rule = {
  id: "results.pinned",
  basis: "documented",
  statement: "results.pinned",
  title: "reads report and dataset of one job",
  fix: "read the dataset with the job id of the report",
  scenarios: "any",
  judge(trial) {
    const judgement = mergeJudgements(listRuns(trial).map(judgeResults));
    // Several tests of a suite may read a report here and a dataset there.
    return trial.scenario === null && judgement.verdict === "fail" ? UNTOUCHED : judgement;
  },
};

function judgeResults({ requests }: RunTraffic): Judgement {
  const read = requests.filter((request) => isResult(request) && isExecuted(request));
  const [reports, datasets] = (["diligence.report", "diligence.dataset"] as const).map((operation) =>
    read.filter((request) => isOperation(request, operation)),
  ) as [TrafficRequest[], TrafficRequest[]];
  if (reports.length === 0 || datasets.length === 0) return UNTOUCHED;
  const jobs = reports.map(jobInPath);
  if (datasets.some((request) => jobs.includes(jobInPath(request)))) return PASS;
  return fail("the report is of one job, and the dataset of another", read);
}

export const RESULT_RULES: readonly Rule[] = [final, pinned];
