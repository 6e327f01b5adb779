import { categorizeState } from "../../domain/diligence/states.ts";
import { fail, mergeJudgements, PASS, UNTOUCHED } from "../judge.ts";
import type { Judgement, Rule } from "../rule.ts";
import {
  hasBurst,
  isExecuted,
  isOperation,
  jobInPath,
  listRuns,
  type RunTraffic,
  stateInResponse,
} from "../traffic.ts";
import type { TrafficRequest } from "../trial.ts";

const pollRate: Rule = {
  id: "job.poll_rate",
  basis: "assumed",
  statement: "limits",
  title: "waits between two polls of a job",
  fix: "wait before each poll, as long as Retry-After says or a second, and longer after each",
  scenarios: ["submit.open"],
  judge: (trial) =>
    mergeJudgements(
      listRuns(trial)
        .flatMap(listPolls)
        .map((polls) => {
          if (polls.length < 2) return UNTOUCHED;
          return hasBurst(polls) ? fail("the program polls the job without a pause", polls) : PASS;
        }),
    ),
};

/** The polls of each job. */
function listPolls({ requests }: RunTraffic): TrafficRequest[][] {
  const polls = requests.filter((request) => isOperation(request, "diligence.status"));
  const jobs = new Set(polls.map(jobInPath));
  return [...jobs].map((job) => polls.filter((poll) => jobInPath(poll) === job));
}

/** The interface names partial, failed and queued; the names of a success are anybody's guess. */
const isUnknownState = (state: string | null): boolean =>
  state !== null && state.toLowerCase() !== "queued" && categorizeState(state) === "pending";

const unknownState: Rule = {
  id: "job.unknown_state",
  basis: "assumed",
  statement: "states",
  title: "waits through a state that it does not know",
  fix: "treat a state that the interface does not name as not final, and poll again",
  scenarios: ["job.unknown_state"],
  // A test of a suite may read a job once, and leave it.
  judge: (trial) =>
    trial.scenario === null ? UNTOUCHED : mergeJudgements(listRuns(trial).flatMap(judgeStates)),
};

function judgeStates(traffic: RunTraffic): Judgement[] {
  return listPolls(traffic).map((polls) => {
    const own = polls.filter(isExecuted);
    if (!own.some((request) => isUnknownState(stateInResponse(request)))) return UNTOUCHED;
    const last = own.at(-1);
    if (!last || !isUnknownState(stateInResponse(last))) return PASS;
    // A program that was ended may have been about to poll again.
    return traffic.run?.endedBy === "itself"
      ? fail("the program stops at a state that it does not know", [last])
      : UNTOUCHED;
  });
}

export const JOB_RULES: readonly Rule[] = [pollRate, unknownState];
