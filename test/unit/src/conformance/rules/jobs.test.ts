import { JOB_RULES } from "../../../../../src/conformance/rules/jobs.ts";
import type { ScenarioId } from "../../../../../src/conformance/scenarios.ts";
import {
  asked,
  called,
  describeRules,
  OTHER_JOB,
  PLAIN,
  polled,
  type RequestParts,
  submitted,
  traffic,
  trialOf,
} from "../../../../support/conformance-trials.ts";

const polls = (...times: readonly number[]) =>
  times.map((arrivalOffsetMs) => polled("queued", { arrivalOffsetMs }));

const scenario = "job.unknown_state";
const ended = (id: ScenarioId, exitCode: number, ...requests: RequestParts[]) =>
  trialOf({ scenario: id, plain: PLAIN, requests, runs: [{ exitCode }] });

const run = (...requests: RequestParts[]) => trialOf({ scenario, requests, runs: [{ exitCode: 1 }] });

const pollAndRead = (arrivalOffsetMs: number) => [
  polled("queued", { arrivalOffsetMs }),
  asked("report", { arrivalOffsetMs: arrivalOffsetMs + 2 }),
];

describeRules(JOB_RULES, {
  "job.poll_rate": {
    pass: [
      traffic(...polls(0, 100, 200, 300, 400)),
      traffic(...polls(0, 25, 50, 75, 100, 125, 150, 175, 200, 225, 250)),
      // Status and report before each pause.
      traffic(...[0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((second) => pollAndRead(second * 1_000))),
      traffic(...polls(0, 1, 2), polled("queued", { arrivalOffsetMs: 3, job: OTHER_JOB }), ...polls(1_000)),
    ],
    fail: [
      [
        traffic(...polls(0, 1_000, 1_002, 1_004, 1_006, 1_008, 1_010, 1_012, 1_014, 1_016)),
        "the program polls the job without a pause",
      ],
      // A busy machine makes some pauses longer, and none shorter.
      [
        traffic(...polls(0, 90, 92, 94, 190, 192, 290, 292, 294, 390, 392, 480, 482, 484)),
        "the program polls the job without a pause",
      ],
    ],
    untouched: [traffic(polled("queued")), traffic(called(), called())],
  },
  "job.wait": {
    pass: [trialOf({ scenario: "submit.open", requests: [polled("queued")] })],
    fail: null,
    untouched: [traffic(polled("queued")), trialOf({ scenario: "submit.open", requests: [called()] })],
  },
  "job.unknown_state": {
    pass: [
      run(polled("in_review"), polled("done")),
      run(polled("", { json: { job: { state: "in_review" } } }), polled("failed")),
    ],
    fail: [
      [run(polled("queued"), polled("in_review")), "the program stops at a state that it does not know"],
    ],
    untouched: [
      run(polled("queued"), polled("Succeeded")),
      run(called()),
      trialOf({ scenario, requests: [polled("in_review")], runs: [{ endedBy: "timeout", exitCode: null }] }),
      trialOf({ requests: [polled("in_review")], runs: [{ exitCode: 0 }] }),
    ],
  },
  "job.failure": {
    pass: [
      ended("job.failed", 9, submitted(), ...Array.from({ length: 10 }, () => polled("failed"))),
      ended("job.partial", 1, submitted(), polled("partial")),
      ended("job.partial", 0, submitted(), polled("partial"), asked("resume"), asked("report")),
    ],
    fail: [
      [ended("job.failed", 0, submitted(), polled("failed")), "the program exits 0, and its job has failed"],
      [
        ended("job.partial", 0, submitted(), polled("partial"), asked("report")),
        "the program exits 0, and its job is partial",
      ],
      [
        ended("job.failed", 4, submitted(), ...Array.from({ length: 11 }, () => polled("failed"))),
        "the program polls on after the job has ended",
      ],
      [
        ended("job.partial", 4, submitted(), polled("partial"), asked("resume"), asked("report")),
        "the program exits 4, and exits 0 where everything works",
      ],
    ],
    untouched: [ended("job.failed", 0, called()), traffic(polled("failed"))],
  },
});
