import { GREASE_RULES } from "../../../../../src/conformance/rules/grease.ts";
import { GREASE_DIMENSIONS } from "../../../../../src/contract/grease.ts";
import { called, describeRules, type RuleCases, trialOf } from "../../../../support/conformance-trials.ts";

const varied = (exitCode: number | null, ...dimensions: readonly string[]) =>
  trialOf({
    scenario: "submit.ordinary",
    requests: [called(), called({ varied: dimensions.map((name) => `${name}=x`) })],
    runs: [{ exitCode, endedBy: exitCode === null ? "timeout" : "itself" }],
  });

const casesOf = (name: string): RuleCases => ({
  pass: [varied(0, name), varied(0, "another", name)],
  fail: [
    [varied(1, name), `the program fails while ${name} varies`],
    [
      varied(1, name, "another"),
      `the program fails while ${name} varies, together with another: --grease ${name} varies it alone`,
    ],
  ],
  untouched: [varied(1, "another"), varied(null, name), { ...varied(1, name), scenario: "submit.open" }],
});

describeRules(
  GREASE_RULES,
  Object.fromEntries(
    GREASE_DIMENSIONS.filter((name) => name !== "paging").map((name) => [`grease.${name}`, casesOf(name)]),
  ),
);
