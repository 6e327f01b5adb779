import { RESULT_RULES } from "../../../../../src/conformance/rules/results.ts";
import {
  asked,
  called,
  contractOf,
  describeRules,
  OTHER_JOB,
  PLAIN,
  type RequestParts,
  refused,
  traffic,
  trialOf,
} from "../../../../support/conformance-trials.ts";

const early = asked("report", refused("report_not_ready", [], 409));
const otherDataset = asked("dataset", { job: OTHER_JOB });

const ordinary = (...requests: RequestParts[]) =>
  trialOf({ scenario: "submit.ordinary", requests, runs: [{}] });

const [OLD, NEW] = ["a", "b"].map((digit) => digit.repeat(64)) as [string, string];

const reportOf = (contractVersion: string) => asked("report", { json: { contractVersion } });
const datasetOf = (hash: string) => asked("dataset", { received: { "Contract-Version": hash } });

const changing = (exitCode: number, ...requests: RequestParts[]) =>
  trialOf({ scenario: "results.contract", requests, runs: [{ exitCode }] });

const ending = (exitCode: number | null, ...requests: RequestParts[]) =>
  trialOf({
    scenario: "submit.ordinary",
    requests,
    plain: { ...PLAIN, exitCode },
    runs: [{ exitCode, endedBy: exitCode === null ? "timeout" : "itself" }],
  });

describeRules(RESULT_RULES, {
  "results.plain": {
    pass: [ending(0, asked("report"))],
    fail: [
      [ending(3, asked("report")), "the program exits 3"],
      [ending(null, asked("report")), "the program does not end"],
      [
        ending(1, called(refused("validation_failed", [["limit", "maximum"]], 400))),
        "the program exits 1 after GET /v1/clients gets validation_failed limit",
      ],
    ],
    untouched: [traffic(asked("report"))],
  },
  "results.success": {
    pass: [
      { ...ending(0, asked("report")), plain: PLAIN },
      { ...ending(6, called()), plain: PLAIN },
    ],
    fail: [[ending(0, called()), "the program exits 0 without having read a result"]],
    untouched: [traffic(called()), { ...ending(0, called()), plain: { ...PLAIN, results: [] } }],
  },
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
  "results.contract": {
    pass: [
      changing(1, contractOf(OLD), reportOf(OLD), datasetOf(NEW)),
      changing(1, contractOf(OLD), datasetOf(OLD), contractOf(NEW)),
      changing(0, contractOf(OLD), reportOf(OLD), datasetOf(NEW), contractOf(NEW), reportOf(NEW)),
      changing(0, contractOf(OLD), reportOf(OLD), datasetOf(OLD), contractOf(NEW)),
    ],
    fail: [
      [
        changing(0, contractOf(OLD), reportOf(OLD), datasetOf(NEW), contractOf(NEW)),
        "the program reads two contracts, a result of each, and exits 0",
      ],
    ],
    untouched: [
      // A program that reads the contract once cannot notice.
      changing(0, contractOf(OLD), reportOf(OLD), datasetOf(NEW)),
      changing(0, reportOf(OLD), contractOf(NEW), datasetOf(NEW)),
      changing(0, reportOf(OLD), datasetOf(NEW)),
      changing(0, contractOf(OLD), reportOf(OLD), datasetOf(OLD)),
      changing(0, contractOf(OLD), reportOf(OLD), contractOf(NEW)),
      traffic(contractOf(OLD), reportOf(OLD), datasetOf(NEW), contractOf(NEW)),
    ],
  },
});
