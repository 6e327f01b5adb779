import { RESUME_RULES } from "../../../../../src/conformance/rules/resumes.ts";
import {
  asked,
  called,
  describeRules,
  OTHER_JOB,
  polled,
  refused,
  traffic,
} from "../../../../support/conformance-trials.ts";

const resumed = asked("resume", { json: { jobId: "x", state: "queued" } });
const notResumable = asked("resume", refused("job_not_resumable", [], 409));
const evidence = "the program resumes a job that is neither partial nor failed";

describeRules(RESUME_RULES, {
  "resume.state": {
    pass: [
      traffic(resumed),
      traffic(polled("partial"), resumed),
      // Another process was faster.
      traffic(polled("failed"), notResumable),
      traffic(asked("status", { json: { job: { id: "x", state: "partial" } } }), notResumable),
      traffic(asked("status"), notResumable),
      traffic(polled("partial"), { ...resumed, durationMs: 2_000 }, notResumable),
      traffic(polled("partial"), asked("resume", { outcome: "lost", status: 202 }), notResumable),
      traffic(polled("partial"), asked("resume", { status: 503 }), notResumable),
    ],
    fail: [
      [traffic(notResumable), evidence],
      [traffic(polled("queued"), notResumable), evidence],
      [traffic(polled("partial"), polled("done"), notResumable), evidence],
      [traffic(polled("partial"), resumed, notResumable), evidence],
      [traffic(polled("partial"), asked("resume"), notResumable), evidence],
      [traffic(polled("partial", { job: OTHER_JOB }), polled("processing"), notResumable), evidence],
    ],
    untouched: [
      traffic(polled("partial")),
      traffic(asked("resume", refused("credential_missing", [], 401))),
      traffic(asked("resume", { status: 503, fault: "rule 1" })),
    ],
  },
  "resume.body": {
    pass: [traffic(resumed), traffic(asked("resume", { body: "{ }" }))],
    fail: [[traffic(asked("resume", { body: '{"force":true}' })), "a resume has a body"]],
    untouched: [traffic(called())],
  },
});
