import type { OperationId } from "../contract/operations/operations.ts";
import type { Judgement, Rule } from "./rule.ts";
import { describeRequest, isExecuted, isOperation } from "./traffic.ts";
import type { LoggedRequest, ProgramRun } from "./trial.ts";

/** A failure is shown with so many requests at most. */
const MAX_REQUESTS = 12;

export const UNTOUCHED: Judgement = { verdict: "untouched", evidence: "", requests: [] };

/** What occurred shows nothing for certain. */
export const untouched = (reason: string): Judgement => ({ ...UNTOUCHED, evidence: reason });

export const PASS: Judgement = { verdict: "pass", evidence: "", requests: [] };

/** @param evidence what was seen, without times and counts that vary from run to run */
export const fail = (evidence: string, requests: readonly LoggedRequest[]): Judgement => ({
  verdict: "fail",
  evidence,
  requests: requests.slice(0, MAX_REQUESTS).map(({ number }) => number),
});

/** Judges each request by itself; the first failure gives the evidence. @param findFault null if nothing is wrong */
export function judgeEach(
  subjects: readonly LoggedRequest[],
  findFault: (request: LoggedRequest) => string | null,
): Judgement {
  if (subjects.length === 0) return UNTOUCHED;
  const wrong = subjects.filter((request) => findFault(request) !== null);
  const [first] = wrong;
  return first ? fail(findFault(first) ?? "", wrong) : PASS;
}

interface RequestRule extends Omit<Rule, "judge" | "scenarios">, Partial<Pick<Rule, "scenarios">> {
  readonly subjects: (requests: readonly LoggedRequest[]) => readonly LoggedRequest[];
  /** What is wrong with a request; null if nothing is. */
  readonly findFault: (request: LoggedRequest) => string | null;
}

export const requestRule = ({ subjects, findFault, ...facts }: RequestRule): Rule => ({
  scenarios: "any",
  ...facts,
  judge: ({ requests }) => judgeEach(subjects(requests), findFault),
});

interface FieldRule extends Omit<Rule, "judge" | "scenarios"> {
  readonly operation: OperationId;
  /** Whether an error in the response of the sandbox is about the rule: it refuses what the interface forbids, and names the field. */
  readonly isFault: (field: string, code: string) => boolean;
}

export const fieldRule = ({ operation, isFault, ...facts }: FieldRule): Rule =>
  requestRule({
    ...facts,
    subjects: (requests) =>
      requests.filter(
        (request) =>
          isOperation(request, operation) &&
          (isExecuted(request) || request.problem?.code === "validation_failed"),
      ),
    findFault(request) {
      const errors = request.problem?.errors ?? [];
      const wrong = errors.find(({ location, code }) => isFault((location ?? "").replace(/^\//, ""), code));
      return wrong ? `${describeRequest(request)} is refused: ${wrong.location} ${wrong.code}` : null;
    },
  });

/** One failure decides; a rule is untouched if no part of a trial touches it. */
export const mergeJudgements = (judgements: readonly Judgement[]): Judgement =>
  judgements.find(({ verdict }) => verdict === "fail") ??
  judgements.find(({ verdict }) => verdict === "pass") ??
  judgements.find(({ evidence }) => evidence !== "") ??
  UNTOUCHED;

export const eachRun =
  (judge: (run: ProgramRun) => Judgement): Rule["judge"] =>
  ({ runs }) =>
    mergeJudgements(runs.map(judge));

/** Judges only what a scenario has shown: other traffic may be like that for another reason. */
export const inScenario =
  (judge: Rule["judge"]): Rule["judge"] =>
  (trial) =>
    trial.scenario === null ? UNTOUCHED : judge(trial);
