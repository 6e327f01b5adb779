import { JOB_RULES } from "../../../../../src/conformance/rules/jobs.ts";
import {
  called,
  describeRules,
  OTHER_JOB,
  polled,
  type RequestParts,
  traffic,
  trialOf,
} from "../../../../support/conformance-trials.ts";

const polls = (...times: readonly number[]) => times.map((elapsedMs) => polled("queued", { elapsedMs }));

const scenario = "job.unknown_state";
const run = (...requests: RequestParts[]) => trialOf({ scenario, requests, runs: [{ exitCode: 1 }] });

describeRules(JOB_RULES, {
  "job.poll_rate": {
    pass: [
      traffic(...polls(0, 100, 200, 300, 400)),
      traffic(...polls(0, 1, 2), polled("queued", { elapsedMs: 3, job: OTHER_JOB }), ...polls(1_000)),
    ],
    fail: [[traffic(...polls(0, 1_000, 1_010, 1_020, 1_030)), "the program polls the job without a pause"]],
    untouched: [traffic(polled("queued")), traffic(called(), called())],
  },
  "job.unknown_state": {
    pass: [
      run(polled("in_review"), polled("done")),
      run(polled("", { json: { job: { state: "in_review" } } }), polled("failed")),
    ],
    fail: [
      [run(polled("queued"), polled("in_review")), "the program stops at a state that it does not know"],
      [
        run(polled("in_review"), polled("partial", { job: OTHER_JOB })),
        "the program stops at a state that it does not know",
      ],
    ],
    untouched: [
      run(polled("queued"), polled("Succeeded")),
      run(called()),
      trialOf({ scenario, requests: [polled("in_review")], runs: [{ endedBy: "timeout", exitCode: null }] }),
      trialOf({ requests: [polled("in_review")], runs: [{ exitCode: 0 }] }),
    ],
  },
});
