import { expect, it } from "vitest";
import { resolveOutcome } from "../../../../../sandbox/engine/jobs/outcome.ts";
import { NO_PROGRESS } from "../../../../../sandbox/store/jobs.ts";

it.each([
  ["a problem of the file before it", 2, "ROW_WIDTH"],
  ["the scripted failure", 9, "scenario_failure"],
])("a job with a scripted failure in line 5 fails with %s", (_, line, code) => {
  const findings = {
    fileError: { code: "ROW_WIDTH", detail: "", line },
    failsOnce: null,
    failsAlways: 5,
    deferred: 0,
    slow: false,
    progress: NO_PROGRESS,
  };
  expect(resolveOutcome(findings, 1)).toMatchObject({ state: "failed", failure: { code } });
});
