import { formatDay, timeToDay } from "../../../domain/entries/dates.ts";
import type { Layout } from "../../../domain/entries/entry.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import type { RowBounds } from "../../../domain/scenarios/rows.ts";
import type { ScenarioName } from "../../../domain/scenarios/scenarios.ts";
import { findClosest } from "../../../domain/text.ts";
import { MAX_SEED } from "../../connection/sandbox-variables.ts";
import { command } from "../../framework/command.ts";
import { parseDay, parseInteger } from "../../framework/values.ts";
import { formatCount, formatThousands } from "../../output/numbers.ts";
import { printMessage } from "../../output/stderr.ts";

const LAYOUTS = ["entry", "es003"] as const satisfies readonly Layout[];

const DEFAULT_ROWS = 100;

type Maker = typeof import("./scenario-files.ts");

export const csv = command({
  name: "csv",
  summary: "write an entry file that does what it says: all accepted, partial, failing, slow …",
  remote: false,
  output: "bytes",
  options: {
    scenario: {
      value: "scenario",
      required: true,
      help: "what the file does; `claims sandbox scenarios` lists them",
    },
    rows: {
      value: "n",
      parse: (text) => parseInteger(text, { what: "a number of rows", min: 0, max: Number.MAX_SAFE_INTEGER }),
      help: `how many rows follow the header (${DEFAULT_ROWS}, or as many as the scenario needs)`,
    },
    layout: { value: "layout", choices: LAYOUTS, help: "one row an entry, or one a tariff line (entry)" },
    seed: {
      value: "number",
      parse: (text) => parseInteger(text, { what: "a seed", min: 0, max: MAX_SEED }),
      help: "another seed makes another file with the same outcome (1)",
    },
    asOf: {
      value: "date",
      parse: parseDay,
      help: "the date it is to be submitted on, YYYY-MM-DD, by the sandbox's clock (today, UTC)",
    },
  },
  examples: [
    "claims sandbox csv --scenario mixed --rows 500 --layout es003 --out mixed.csv",
    "claims sandbox csv --scenario partial | claims diligence submit - --seller-name Acme --wait",
  ],
  async run(context, { options, global }) {
    const maker = await import("./scenario-files.ts");
    const { layout = "entry", seed = 1, asOf = timeToDay(context.now()) } = options;
    const scenario = scenarioFrom(options.scenario, maker);
    const rows = rowsFrom(options.rows, boundsOf(scenario, layout, maker), scenario);
    if (asOf < maker.FIRST_AS_OF) throw tooEarly(maker.FIRST_AS_OF);
    if (global.json) throw noJson();
    if (global.out !== undefined && global.out !== "-") {
      const { entries, rejected, deferred } = maker.forecastOutcome(scenario, layout, rows);
      const counts = [
        `${formatCount(rows, "row")}, ${formatCount(entries, "entry", "entries")} as of ${formatDay(asOf)}`,
        ...(rejected > 0 ? [`${formatThousands(rejected)} rejected`] : []),
        ...(deferred > 0 ? [`${formatThousands(deferred)} deferred`] : []),
      ];
      printMessage(context, `${counts.join(", ")}: ${maker.getScenario(scenario).what}`);
    }
    return { kind: "stream", body: maker.generateScenarioFile({ scenario, rows, layout, seed, asOf }) };
  },
});

function scenarioFrom(name: string, maker: Maker): ScenarioName {
  if (maker.isScenarioName(name)) return name;
  const meant = findClosest(name, maker.SCENARIO_NAMES);
  throw new ClaimsError("usage", "unknown_scenario", `there is no scenario "${name}"`, {
    hint: meant ? `did you mean "${meant}"?` : `name one of ${maker.SCENARIO_NAMES.join(", ")}`,
  });
}

function boundsOf(name: ScenarioName, layout: Layout, maker: Maker): RowBounds {
  const { layouts } = maker.getScenario(name);
  if (layouts.includes(layout)) return maker.getRowBounds(name, layout);
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
