import { CONTRACT_RULES } from "../../../../../src/conformance/rules/contract.ts";
import {
  called,
  contractOf,
  describeRules,
  type RequestParts,
  submitted,
  traffic,
  trialOf,
} from "../../../../support/conformance-trials.ts";

const token = called({ method: "POST", operation: "oauth.token" });

/** Two runs; the second ends with an exit code. */
const cutover = (first: RequestParts[], second: RequestParts[], exitCode: number) =>
  trialOf({
    scenario: "contract.cutover",
    requests: [...first, ...second],
    runs: [{ requests: first.length }, { requests: second.length, exitCode }],
  });

const firstRun = [contractOf("old"), submitted()];

describeRules(CONTRACT_RULES, {
  "contract.cutover": {
    pass: [
      cutover(firstRun, [contractOf("new")], 1),
      cutover(firstRun, [token, contractOf("new"), token], 7),
      // What it wrote before it read the contract was no use of it.
      cutover(firstRun, [submitted(), contractOf("new")], 1),
    ],
    fail: [
      [
        cutover(firstRun, [contractOf("new"), submitted()], 0),
        "the second run reads another contract than the first, writes, and exits 0",
      ],
    ],
    untouched: [
      cutover([submitted()], [contractOf("new"), submitted()], 0),
      cutover(firstRun, [submitted()], 0),
      cutover(firstRun, [contractOf("old"), submitted()], 0),
      // Nothing is left to do, or the write failed for another reason.
      cutover(firstRun, [contractOf("new")], 0),
      cutover(firstRun, [contractOf("new"), submitted()], 1),
      trialOf({ scenario: "contract.cutover", requests: firstRun, runs: [{}] }),
      traffic(contractOf("old"), contractOf("new"), submitted()),
    ],
  },
});
