import { RESULT_RULES } from "../../../../../src/conformance/rules/results.ts";
import {
  asked,
  called,
  describeRules,
  OTHER_JOB,
  type RequestParts,
  refused,
  traffic,
  trialOf,
} from "../../../../support/conformance-trials.ts";

const early = asked("report", refused("report_not_ready", [], 409));
const otherDataset = asked("dataset", { job: OTHER_JOB });

const ordinary = (...requests: RequestParts[]) =>
  trialOf({ scenario: "submit.ordinary", requests, runs: [{}] });

describeRules(RESULT_RULES, {
  "results.final": {
    pass: [traffic(asked("report")), traffic(asked("dataset", refused("job_failed", [], 409)))],
    fail: [[traffic(early, asked("report")), "the program requests the report of a job that has not ended"]],
    untouched: [traffic(asked("status")), traffic(asked("report", { status: 503, fault: "rule 1" }))],
  },
  "results.pinned": {
    pass: [
      ordinary(asked("report"), asked("dataset")),
      ordinary(asked("report"), otherDataset, asked("dataset")),
      traffic(asked("report"), asked("dataset")),
    ],
    fail: [[ordinary(asked("report"), otherDataset), "the report is of one job, and the dataset of another"]],
    untouched: [
      traffic(asked("report"), otherDataset),
      ordinary(asked("report")),
      ordinary(early, otherDataset),
      ordinary(called()),
    ],
  },
});
