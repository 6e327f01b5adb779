import { formatDay, timeToDay } from "../../../../domain/entries/dates.ts";
import type { Layout } from "../../../../domain/entries/entry.ts";
import { usageError } from "../../../../domain/errors.ts";
import { formatCount, formatThousands } from "../../../../domain/numbers.ts";
import { FIRST_AS_OF } from "../../../../domain/scenarios/entry-facts.ts";
import { generateScenarioFile } from "../../../../domain/scenarios/scenario-file.ts";
import {
  forecastOutcome,
  getRowBounds,
  getScenario,
  isScenarioName,
  type RowBounds,
  SCENARIO_NAMES,
  type ScenarioName,
} from "../../../../domain/scenarios/scenarios.ts";
import { findClosest } from "../../../../domain/text.ts";
import type { Context } from "../../../context.ts";
import type { Invocation } from "../../../framework/command.ts";
import type { Output } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { type csvOptions, DEFAULT_ROWS, DEFAULT_SCENARIO } from "./csv.ts";

export async function runCsv(
  context: Context,
  { options, global }: Invocation<typeof csvOptions>,
): Promise<Output> {
  const { layout = "entry", seed = 1, asOf = timeToDay(context.now()) } = options;
  const scenario = parseScenario(options.scenario ?? DEFAULT_SCENARIO);
  const rows = chooseRows(options.rows, requireBounds(scenario, layout), scenario);
  if (asOf < FIRST_AS_OF)
    throw usageError("option_invalid", "the tariffs had not ended by then", {
      option: "--as-of",
      hint: `give --as-of from ${formatDay(FIRST_AS_OF)} on`,
    });
  if (global.json)
    throw usageError("option_conflict", "an entry file is CSV", {
      hint: "leave out --json, or read about the scenario with `claims sandbox scenarios --json`",
    });
  if (global.out !== undefined && global.out !== "-") {
    const { entries, rejected, deferred } = forecastOutcome(scenario, layout, rows);
    const counts = [
      `${formatCount(rows, "row")}, ${formatCount(entries, "entry", "entries")} as of ${formatDay(asOf)}`,
      ...(rejected > 0 ? [`${formatThousands(rejected)} rejected`] : []),
      ...(deferred > 0 ? [`${formatThousands(deferred)} deferred`] : []),
    ];
    printMessage(context, `${counts.join(", ")}: ${getScenario(scenario).description}`);
  }
  return { kind: "stream", body: generateScenarioFile({ scenario, rows, layout, seed, asOf }) };
}

function parseScenario(name: string): ScenarioName {
  if (isScenarioName(name)) return name;
  const closest = findClosest(name, SCENARIO_NAMES);
  throw usageError("option_invalid", `unknown scenario "${name}"`, {
    option: "--scenario",
    hint: closest ? `did you mean "${closest}"?` : `name one of ${SCENARIO_NAMES.join(", ")}`,
  });
}

function requireBounds(name: ScenarioName, layout: Layout): RowBounds {
  const { layouts } = getScenario(name);
  if (layouts.includes(layout)) return getRowBounds(name, layout);
  throw usageError("option_invalid", `the scenario "${name}" has no layout ${layout}`, {
    option: "--layout",
    hint: `use --layout ${layouts.join(" or ")}; \`claims sandbox scenarios\` explains why`,
  });
}

function chooseRows(given: number | undefined, { min, max }: RowBounds, name: ScenarioName): number {
  const rows = given ?? Math.min(max, Math.max(min, DEFAULT_ROWS));
  if (rows >= min && rows <= max) return rows;
  throw usageError("option_invalid", `the scenario "${name}" cannot have ${formatCount(rows, "row")}`, {
    option: "--rows",
    hint: `give --rows from ${formatThousands(min)} to ${formatThousands(max)}`,
  });
}
