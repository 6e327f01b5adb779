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
  requests: [1, 2].map((number) => ({ number }) as Trial["requests"][number]),
  runs: [],
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
    expect(assessOne(ruleOf(["submit.timeout"]), "submit.open")).toMatchObject({
      verdict: "not_run",
      reason: expect.stringContaining("--only credential.bearer"),
    });
  });
});

describe("selectScenarios", () => {
  it("takes those of the rules in their order, and the ordinary one for any traffic", () => {
    const rules = [ruleOf(["submit.open"]), ruleOf("any"), ruleOf(["submit.ordinary", "submit.open"])];
    expect(selectScenarios(rules, false)).toEqual(["submit.ordinary", "submit.open"]);
    expect(selectScenarios([ruleOf("any")], true)).toEqual(["submit.ordinary"]);
  });

  it("takes slow ones for rules that the user named", () => {
    const rules = [ruleOf(["submit.timeout"])];
    expect(selectScenarios(rules, true)).toEqual(["submit.timeout"]);
    expect(selectScenarios(rules, false)).toEqual(["submit.ordinary"]);
  });
});
