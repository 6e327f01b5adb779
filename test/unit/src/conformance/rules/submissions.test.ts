import { SUBMISSION_RULES } from "../../../../../src/conformance/rules/submissions.ts";
import {
  asked,
  called,
  describeRules,
  JOB,
  OTHER_JOB,
  polled,
  type RequestParts,
  refused,
  submitted,
  type TrialParts,
  traffic,
  trialOf,
} from "../../../../support/conformance-trials.ts";

const FLAG = "requires_protest_documentation";
const flagged = (value: string) => traffic(submitted({ fields: [[FLAG, value]] }));
const noFile = [["file", "required"]] as const;

/** The job stays open while the program runs. */
const open = (runs: NonNullable<TrialParts["runs"]>, ...requests: RequestParts[]) =>
  trialOf({ scenario: "submit.open", requests, runs });

const killed = (output: string, ...second: RequestParts[]) =>
  trialOf({
    scenario: "submit.killed",
    requests: [submitted(), ...second],
    runs: [
      { exitCode: null, endedBy: "scenario", openJobs: [JOB], requests: 1 },
      { output, requests: second.length },
    ],
  });

const another = { received: { LOCATION: `/v1/diligence/status/${OTHER_JOB.toUpperCase()}` } };
const SEVERAL = "one file became several jobs";

const losing = (...requests: RequestParts[]) =>
  trialOf({ scenario: "submit.lost_answer", requests, runs: [{}] });

const lost = submitted({ outcome: "lost", fault: "rule 1: connection reset after the work" });

describeRules(SUBMISSION_RULES, {
  "submit.multipart": {
    pass: [
      traffic(submitted()),
      traffic(submitted({ sent: { "Content-Type": "Multipart/Form-Data; boundary=x" } })),
    ],
    fail: [
      [
        traffic(
          submitted({ sent: { "Content-Type": "application/json" }, ...refused("unsupported_media_type") }),
        ),
        "a submission has the Content-Type application/json",
      ],
      [traffic(submitted({ sent: { "Content-Type": "" } })), "a submission has no Content-Type"],
    ],
    untouched: [traffic(called())],
  },
  "submit.parts": {
    pass: [
      traffic(submitted()),
      traffic(submitted(refused("validation_failed", [["seller_name", "blank"]]))),
    ],
    fail: [
      [
        traffic(submitted(refused("validation_failed", noFile))),
        "POST /v1/diligence/submit is refused: file required",
      ],
      [
        traffic(submitted(refused("validation_failed", [["file", "not_a_file"]]))),
        "POST /v1/diligence/submit is refused: file not_a_file",
      ],
    ],
    untouched: [
      traffic(called()),
      traffic(submitted({ status: 503, fault: "rule 1" })),
      traffic(submitted(refused("credential_missing"))),
    ],
  },
  "submit.csv": {
    pass: [traffic(submitted())],
    fail: [
      [traffic(submitted(refused("unsupported_media_type"))), "a submission has a file that is not text/csv"],
    ],
    untouched: [
      traffic(called()),
      traffic(submitted({ sent: { "content-encoding": "gzip" }, ...refused("unsupported_media_type") })),
      traffic(submitted({ sent: { "Content-Type": "text/csv" }, ...refused("unsupported_media_type") })),
    ],
  },
  "submit.boolean": {
    pass: [flagged("true"), flagged("False")],
    fail: [[flagged("1"), `a submission has ${FLAG} = "1"`]],
    untouched: [traffic(submitted({ fields: [] })), traffic(called())],
  },
  "submit.boolean_case": {
    pass: [flagged("true"), flagged("1")],
    fail: [[flagged("True"), `a submission has ${FLAG} = "True"`]],
    untouched: [traffic(called())],
  },
  "submit.queued": {
    pass: [
      open([{ exitCode: 0 }], submitted(), polled("completed")),
      open([{ exitCode: 1, openJobs: [JOB] }], submitted(), polled("queued")),
      open([{ exitCode: null, endedBy: "timeout", openJobs: [JOB] }], submitted(), polled("queued")),
      open([{ exitCode: 0, openJobs: [OTHER_JOB] }], submitted(), polled("done")),
    ],
    fail: [
      [open([{ openJobs: [JOB] }], submitted()), "the program exits 0 while its job is open"],
      [
        open([{ openJobs: [JOB], output: JOB }], submitted(), polled("queued")),
        "the program exits 0 while its job is open",
      ],
    ],
    untouched: [
      open([{ openJobs: [JOB], output: `submitted ${JOB.toUpperCase()}` }], submitted()),
      open([{ openJobs: [JOB] }], submitted({ ...refused("file_empty") })),
      open([{ openJobs: [JOB] }], called()),
      trialOf({ requests: [submitted()], runs: [{ openJobs: [JOB] }] }),
    ],
  },
  "submit.job_id": {
    pass: [
      killed("", polled("queued")),
      killed("", polled("queued"), submitted({ idempotentReplay: true })),
      killed(`job ${JOB}`, submitted(another)),
    ],
    fail: [
      [
        killed("", submitted(another), polled("queued", { job: OTHER_JOB })),
        "the second run submits again, and the job of the first run is forgotten",
      ],
    ],
    untouched: [
      killed(""),
      killed("", called()),
      killed("", submitted({ idempotentReplay: true }), polled("queued")),
      trialOf({ scenario: "submit.killed", requests: [submitted()], runs: [{}] }),
      trialOf({ requests: [submitted(), submitted(another)], runs: [{ requests: 1 }, { requests: 1 }] }),
    ],
  },
  "submit.continues": {
    pass: [killed("", polled("queued")), killed("", submitted({ idempotentReplay: true }))],
    fail: [
      [killed(`job ${JOB}`, submitted(another)), SEVERAL],
      [killed("", asked("report", { job: OTHER_JOB })), "the results are not those of the submitted job"],
    ],
    untouched: [traffic(submitted(), submitted(another))],
  },
  "submit.lost_answer": {
    pass: [
      losing(lost),
      losing(lost, submitted({ idempotentReplay: true })),
      losing(lost, submitted({ ...another, body: "another file" })),
      losing(lost, submitted({ ...another, ...refused("idempotency_key_reused") })),
    ],
    fail: [
      [losing(lost, submitted(another)), SEVERAL],
      [
        losing(
          lost,
          submitted({
            ...another,
            sent: { "Content-Type": 'multipart/form-data; boundary="c"' },
            body: "--c\r\nthe file\r\n--c--",
          }),
        ),
        SEVERAL,
      ],
      [losing(lost, asked("report", { job: OTHER_JOB })), "the results are not those of the submitted job"],
    ],
    untouched: [
      // The second run submits nothing again.
      trialOf({
        scenario: "submit.lost_answer",
        requests: [lost, called()],
        runs: [
          { exitCode: 1, requests: 1 },
          { exitCode: 1, requests: 1 },
        ],
      }),
      losing(submitted(), submitted(another)),
      losing(submitted({ outcome: "lost", status: null }), asked("status")),
      traffic(lost, submitted(another)),
    ],
  },
});
