import { formatDay, timeToDay } from "../../../../domain/entries/dates.ts";
import { usageError } from "../../../../domain/errors.ts";
import { formatCount, formatThousands } from "../../../../domain/numbers.ts";
import { FIRST_AS_OF } from "../../../../domain/scenarios/draft.ts";
import { generateScenarioFile } from "../../../../domain/scenarios/scenario-file.ts";
import { countEntries, getMinRows, getScenario, MAX_ROWS } from "../../../../domain/scenarios/scenarios.ts";
import type { Context } from "../../../context.ts";
import type { Invocation } from "../../../framework/command.ts";
import type { Output } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import type { csvOptions } from "./csv.ts";

const DEFAULT_ROWS = 100;

export async function runCsv(
  context: Context,
  { options, global }: Invocation<typeof csvOptions>,
): Promise<Output> {
  const { scenario = "mixed", layout = "entry", seed = 1, asOf = timeToDay(context.now()) } = options;
  const minRows = getMinRows(scenario, layout);
  const rows = options.rows ?? Math.max(minRows, DEFAULT_ROWS);
  if (rows < minRows || rows > MAX_ROWS)
    throw usageError("option_invalid", `the scenario "${scenario}" cannot have ${formatCount(rows, "row")}`, {
      option: "--rows",
      hint: `give --rows from ${formatThousands(minRows)} to ${formatThousands(MAX_ROWS)}`,
    });
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
    const entries = formatCount(countEntries(rows, layout), "entry", "entries");
    const counts = `${formatCount(rows, "row")}, ${entries} as of ${formatDay(asOf)}`;
    printMessage(context, `${counts}: ${getScenario(scenario).description}`);
  }
  return { kind: "stream", body: generateScenarioFile({ scenario, rows, layout, seed, asOf }) };
}
