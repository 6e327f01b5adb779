import { formatDay, timeToDay } from "../../../../domain/entries/dates.ts";
import type { Layout } from "../../../../domain/entries/entry.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { FIRST_AS_OF } from "../../../../domain/scenarios/entry-facts.ts";
import { forecastOutcome, getRowBounds, type RowBounds } from "../../../../domain/scenarios/row-counts.ts";
import { generateScenarioFile } from "../../../../domain/scenarios/scenario-file.ts";
import {
  getScenario,
  isScenarioName,
  SCENARIO_NAMES,
  type ScenarioName,
} from "../../../../domain/scenarios/scenarios.ts";
import { findClosest } from "../../../../domain/text.ts";
import type { Context } from "../../../context.ts";
import type { Invocation } from "../../../framework/command.ts";
import { formatCount, formatThousands } from "../../../output/numbers.ts";
import type { Output } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { type csvOptions, DEFAULT_ROWS } from "./options.ts";

export async function runCsv(
  context: Context,
  { options, global }: Invocation<typeof csvOptions>,
): Promise<Output> {
  const { layout = "entry", seed = 1, asOf = timeToDay(context.now()) } = options;
  const scenario = scenarioFrom(options.scenario);
  const rows = rowsFrom(options.rows, boundsOf(scenario, layout), scenario);
  if (asOf < FIRST_AS_OF) throw tooEarly(FIRST_AS_OF);
  if (global.json) throw noJson();
  if (global.out !== undefined && global.out !== "-") {
    const { entries, rejected, deferred } = forecastOutcome(scenario, layout, rows);
    const counts = [
      `${formatCount(rows, "row")}, ${formatCount(entries, "entry", "entries")} as of ${formatDay(asOf)}`,
      ...(rejected > 0 ? [`${formatThousands(rejected)} rejected`] : []),
      ...(deferred > 0 ? [`${formatThousands(deferred)} deferred`] : []),
    ];
    printMessage(context, `${counts.join(", ")}: ${getScenario(scenario).what}`);
  }
  return { kind: "stream", body: generateScenarioFile({ scenario, rows, layout, seed, asOf }) };
}

function scenarioFrom(name: string): ScenarioName {
  if (isScenarioName(name)) return name;
  const meant = findClosest(name, SCENARIO_NAMES);
  throw new ClaimsError("usage", "unknown_scenario", `there is no scenario "${name}"`, {
    hint: meant ? `did you mean "${meant}"?` : `name one of ${SCENARIO_NAMES.join(", ")}`,
  });
}

function boundsOf(name: ScenarioName, layout: Layout): RowBounds {
  const { layouts } = getScenario(name);
  if (layouts.includes(layout)) return getRowBounds(name, layout);
  throw new ClaimsError("usage", "layout_without_scenario", `there is no ${name} in layout ${layout}`, {
    hint: `it exists with --layout ${layouts.join(" or ")} alone; \`claims sandbox scenarios\` says why`,
  });
}

function rowsFrom(
  given: number | undefined,
  { min: least, max: most }: RowBounds,
  name: ScenarioName,
): number {
  const rows = given ?? Math.min(most, Math.max(least, DEFAULT_ROWS));
  if (rows >= least && rows <= most) return rows;
  throw new ClaimsError(
    "usage",
    "rows_out_of_bounds",
    `the scenario "${name}" cannot have ${formatCount(rows, "row")}`,
    {
      hint: `give --rows from ${formatThousands(least)} to ${formatThousands(most)}`,
    },
  );
}

const tooEarly = (first: number): ClaimsError =>
  new ClaimsError("usage", "as_of_too_early", "the tariffs had not ended by then", {
    hint: `give --as-of from ${formatDay(first)} on`,
  });

const noJson = (): ClaimsError =>
  new ClaimsError("usage", "conflicting_formats", "an entry file is CSV", {
    hint: "leave out --json, or read about the scenario with `claims sandbox scenarios --json`",
  });
