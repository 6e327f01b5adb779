import { SERVICE_RULES } from "../../../../../src/conformance/rules/services.ts";
import type { ScenarioId } from "../../../../../src/conformance/scenarios.ts";
import {
  asked,
  called,
  describeRules,
  PLAIN,
  traffic,
  trialOf,
} from "../../../../support/conformance-trials.ts";

const ended = (scenario: ScenarioId, exitCode: number, requests = [called()]) =>
  trialOf({ scenario, plain: PLAIN, requests, runs: [{ exitCode }] });

const casesOf = (scenario: ScenarioId) => ({
  pass: [ended(scenario, 6), ended(scenario, 0, [asked("report")])],
  fail: [[ended(scenario, 0), "the program exits 0 without having read a result"] as const],
  untouched: [traffic(called())],
});

describeRules(SERVICE_RULES, {
  "service.empty_response": casesOf("service.empty_response"),
  "service.login_page": casesOf("service.login_page"),
});
