import { appendFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { canStart, FOREIGN_SERVICES, type ForeignName, startForeign } from "../support/foreign-service.ts";
import { hasScript } from "../support/terminal-process.ts";
import {
  expectNothingWrong,
  type LearnedMapping,
  learnOnTerminal,
  learnUnattended,
  runSuiteInSandbox,
  runWorkList,
} from "../support/work-list.ts";

/** `CLAIMS_TEST_TABLE` names a file that gets a line for each run: proved, asked, answered wrongly, what failed. */
const report = (name: string, how: string, learned: LearnedMapping, failures: readonly string[]): void => {
  const { CLAIMS_TEST_TABLE: file } = process.env;
  const { proved, asked, wrong } = learned;
  const cells = [name, how, proved, asked, wrong.join(" ") || 0, failures.join("; ") || "passes"];
  if (file) appendFileSync(file, `| ${cells.join(" | ")} |\n`);
};

describe.each(Object.keys(FOREIGN_SERVICES) as ForeignName[])("the service %s", (name) => {
  const isMissing = !canStart(name);

  it.runIf(isMissing)(`is NOT tested: ${FOREIGN_SERVICES[name][0]} is missing`, () => {});

  it.skipIf(isMissing || !hasScript)(
    "passes the work list after at most twelve questions at a terminal",
    async () => {
      const service = await startForeign(name);
      const learned = await learnOnTerminal(service);
      const failures = await runWorkList(service, learned.file);
      report(name, "terminal", learned, failures);
      expect(learned.code, learned.text).toBe(0);
      expect(learned.wrong).toEqual([]);
      expect(learned.asked).toBeLessThanOrEqual(12);
      expect(failures).toEqual([]);
    },
  );

  it.skipIf(isMissing)(
    "passes the work list with the lines of its documentation, and so does a sandbox",
    async () => {
      const service = await startForeign(name);
      const learned = await learnUnattended(service, service.truth.mapping);
      const failures = await runWorkList(service, learned.file);
      report(name, "--set", learned, failures);
      expect(learned.code, learned.text).toBe(0);
      expect(failures).toEqual([]);
      const suite = await runSuiteInSandbox(learned.file, name);
      expect(suite.stdout, suite.stderr).toContain("20 calls passed");
    },
  );

  it.skipIf(isMissing)("is never read silently wrong, without answers and without a mapping", async () => {
    const service = await startForeign(name);
    await expectNothingWrong(service, undefined);
    const learned = await learnUnattended(service, {});
    report(name, "unattended", learned, []);
    expect([0, 5]).toContain(learned.code);
    expect(learned.wrong).toEqual([]);
    await expectNothingWrong(service, learned.file);
  });
});
