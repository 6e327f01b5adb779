import type { JobState } from "../../../domain/diligence/states.ts";
import type { ScenarioName } from "../../../domain/scenarios/scenarios.ts";
import { EXIT_CODE_BY_KIND, type ExitCode } from "../../exit-codes.ts";
import { command } from "../../framework/command.ts";
import { toListOutput } from "../../output/output.ts";

/** A scenario of `sandbox csv` with its outcome. */
interface ScenarioRow {
  readonly name: ScenarioName;
  readonly what: string;
  /** The state in which the job ends. */
  readonly state: JobState;
  readonly failureCode: string | null;
  /** Of `diligence submit --wait`. */
  readonly exitCode: ExitCode;
  /** The outcome of `rf8Review` for the seller of the entries. */
  readonly review: string | null;
  readonly sellerName: string;
  /** The end of a resume; null when it is refused. */
  readonly resumed: { readonly state: JobState; readonly exitCode: ExitCode } | null;
  readonly layouts: readonly string[];
  /** By layout. */
  readonly leastRows: Readonly<Record<string, number>>;
  readonly mostRows: number;
}

export const scenarios = command({
  name: "scenarios",
  summary: "list the scenarios of `sandbox csv` with their outcomes",
  output: "list",
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
        { name: "review" },
        {
          name: "resumed",
          title: "resume",
          value: ({ resumed }) => resumed?.state,
          display: ({ resumed }) => resumed?.state ?? "refused",
        },
        { name: "what", canWrap: true },
        { name: "layouts", isHidden: true },
      ],
      emptyMessage: "no scenario",
      notes: () => items.slice(0, 1).map(({ sellerName }) => `review: with --seller-name "${sellerName}"`),
    });
  },
});

async function loadScenarios(): Promise<ScenarioRow[]> {
  const { getRowBounds, getScenario, SCENARIO_NAMES, SCENARIO_SELLER } = await import(
    "../../../domain/scenarios/scenarios.ts"
  );
  return SCENARIO_NAMES.map((name) => {
    const { what, state, failureCode, review, resumed, layouts } = getScenario(name);
    return {
      name,
      what,
      state,
      failureCode,
      exitCode: exitCodeOf(state),
      review,
      sellerName: SCENARIO_SELLER,
      resumed: resumed && { state: resumed, exitCode: exitCodeOf(resumed) },
      layouts,
      leastRows: Object.fromEntries(layouts.map((layout) => [layout, getRowBounds(name, layout).min])),
      mostRows: Math.max(...layouts.map((layout) => getRowBounds(name, layout).max)),
    };
  });
}

const exitCodeOf = (state: JobState): ExitCode =>
  state === "completed" ? 0 : EXIT_CODE_BY_KIND.unfinished_job;
