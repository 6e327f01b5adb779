import { describe, expect, it } from "vitest";
import { assess, selectScenarios } from "../../../../src/conformance/assess.ts";
import type { Rule, Verdict } from "../../../../src/conformance/rule.ts";
import type { ScenarioId } from "../../../../src/conformance/scenarios.ts";
import type { Trial } from "../../../../src/conformance/trial.ts";

const ruleOf = (scenarios: Rule["scenarios"], verdicts: Partial<Record<string, Verdict>> = {}): Rule => ({
  id: "credential.bearer",
  basis: "documented",
  statement: "bearer",
  title: "sends it",
  fix: "send it",
  scenarios,
  judge: ({ scenario }) => ({
    verdict: verdicts[scenario ?? "none"] ?? "untouched",
    evidence: "seen",
    requests: [2],
  }),
});

const trialOf = (scenario: ScenarioId | null): Trial => ({
  scenario,
  requests: [1, 2].map((number) => ({ number, requestHeaders: [] }) as unknown as Trial["requests"][number]),
  runs: [],
  plain: null,
});

const assessOne = (rule: Rule, ...scenarios: (ScenarioId | null)[]) =>
  assess([rule], scenarios.map(trialOf))[0];

describe("assess", () => {
  it("lets one failure decide, with the requests that show it", () => {
    const rule = ruleOf("any", { "submit.ordinary": "pass", "submit.open": "fail" });
    expect(assessOne(rule, "submit.ordinary", "submit.open")).toMatchObject({
      verdict: "fail",
      findings: [{ scenario: "submit.open", evidence: "seen", requests: [{ number: 2 }] }],
    });
  });

  it("judges a rule in its own scenarios and in traffic without one", () => {
    const rule = ruleOf(["submit.open"], { "submit.ordinary": "fail", none: "pass" });
    expect(assessOne(rule, "submit.ordinary", "submit.open")?.verdict).toBe("untouched");
    expect(assessOne(rule, null)?.verdict).toBe("pass");
  });

  it("tells a rule that was not touched from one whose scenarios did not run", () => {
    expect(assessOne(ruleOf("any"), null)?.verdict).toBe("untouched");
    expect(assessOne(ruleOf(["submit.open"]), null)).toMatchObject({ verdict: "not_run", reason: null });
  });
});

describe("the end of a program", () => {
  const end = { exitCode: 0, isSilent: false, results: ["diligence.report"] };
  const target = "/v1/diligence/report/j1";
  const read = {
    ...{ number: 1, operation: "diligence.report", target, status: 200, problem: null },
    requestHeaders: [],
  };
  const judge = (plain: Trial["plain"], exitCode: number, requests: readonly object[] = [read]) => {
    const rule = { ...ruleOf(["submit.open"], { "submit.open": "pass" }), judgesEnd: true } as const;
    const run = { exitCode, endedBy: "itself", requests } as Trial["runs"][number];
    const trial = { ...trialOf("submit.open"), plain, runs: [run], requests } as Trial;
    return assess([rule], [trial])[0];
  };

  it("names the folder for state if the program asks for a job of another scenario", () => {
    const status = {
      number: 1,
      operation: "diligence.status",
      target: "/v1/diligence/status/j1",
      status: 404,
      requestHeaders: [],
    };
    const submit = {
      ...{ number: 2, operation: "diligence.submit", target: "/v1/diligence/submit", status: 202 },
      requestHeaders: [],
    };
    const evidenceOf = (...requests: object[]) => judge(end, 6, requests)?.findings[0]?.evidence;
    expect(evidenceOf(status)).toContain("CLAIMS_CONFORMANCE_FILE");
    expect(evidenceOf(submit, { ...status, number: 3 })).toContain("exits 6");
    expect(evidenceOf({ ...status, status: 200 })).toContain("exits 6");
  });

  it("fails the rule of a scenario if it is another one than where everything works", () => {
    expect(judge(end, 0)?.verdict).toBe("pass");
    expect(judge(end, 6)?.findings).toMatchObject([
      { evidence: "the program exits 6, and exits 0 where everything works" },
    ]);
    expect(judge(end, 0, [])?.findings).toMatchObject([
      { evidence: "the program exits 0 without reading the report" },
    ]);
  });

  it("decides nothing for a program that fails where everything works, or does nothing", () => {
    expect(judge({ ...end, exitCode: 1 }, 6)?.verdict).toBe("pass");
    expect(judge({ ...end, isSilent: true }, 6)?.verdict).toBe("pass");
  });
});

it("selectScenarios takes those of the rules in their order, and the ordinary one for any traffic", () => {
  const rules = [ruleOf(["submit.open"]), ruleOf("any"), ruleOf(["submit.ordinary", "submit.open"])];
  expect(selectScenarios(rules)).toEqual(["submit.ordinary", "submit.open"]);
  expect(selectScenarios([ruleOf("any")])).toEqual(["submit.ordinary"]);
});
