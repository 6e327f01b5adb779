import type { JobState } from "../../../domain/diligence/states.ts";
import { labelOutcome } from "../../../domain/labels.ts";
import { SCENARIO_NAMES } from "../../../domain/scenarios/scenario-names.ts";
import { EXIT_CODE_BY_KIND, type ExitCode } from "../../exit-codes.ts";
import { command } from "../../framework/command.ts";
import { toListOutput } from "../../output/output.ts";

export const scenarios = command({
  name: "scenarios",
  prints: "Scenarios",
  summary: "list the scenarios of `sandbox csv` with their outcomes",
  output: "list",
  quietPrints: "names",
  examples: [
    "claims sandbox scenarios",
    "claims sandbox scenarios --json | jq '.[] | select(.exitCode == 9)'",
  ],
  async run() {
    const items = await loadScenarios();
    return toListOutput({
      items,
      columns: [
        { name: "name", title: "scenario", isId: true },
        { name: "state", title: "job" },
        { name: "exitCode", title: "exit", align: "right" },
        { name: "review", display: ({ review }) => review && labelOutcome(review) },
        {
          name: "resumed",
          title: "resume",
          value: ({ resumed }) => resumed?.state,
          display: ({ resumed }) => resumed?.state ?? "refused",
        },
        { name: "description", canWrap: true },
      ],
      emptyMessage: "no scenario",
      notes: () => items.slice(0, 1).map(({ sellerName }) => `review: with --seller-name "${sellerName}"`),
    });
  },
});

async function loadScenarios() {
  const { getMinRows, getScenario } = await import("../../../domain/scenarios/scenarios.ts");
  const { SCENARIO_SELLER } = await import("../../../domain/scenarios/draft.ts");
  return SCENARIO_NAMES.map((name) => {
    const { description, state, failureCode, review, resumed } = getScenario(name);
    return {
      name,
      description,
      state,
      failureCode,
      /** The exit code of `diligence submit --wait` with such a file. */
      exitCode: exitCodeOf(state),
      review,
      sellerName: SCENARIO_SELLER,
      /** The end of a resume; null when it is refused. */
      resumed: resumed && { state: resumed, exitCode: exitCodeOf(resumed) },
      minRows: { entry: getMinRows(name, "entry"), es003: getMinRows(name, "es003") },
    };
  });
}

const exitCodeOf = (state: JobState): ExitCode =>
  state === "completed" ? 0 : EXIT_CODE_BY_KIND.unfinished_job;
