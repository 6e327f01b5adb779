import type { Layout } from "../../../../domain/entries/entry.ts";
import { SCENARIO_NAMES } from "../../../../domain/scenarios/scenario-names.ts";
import { command } from "../../../framework/command.ts";
import type { OptionSpecs } from "../../../framework/options.ts";
import { parseDay, parseInteger, parseSeed } from "../../../framework/values.ts";

export const csvOptions = {
  scenario: {
    value: "scenario",
    choices: SCENARIO_NAMES,
    default: "mixed",
    help: "outcome of the file, as `claims sandbox scenarios` describes it",
  },
  rows: {
    value: "n",
    parse: (text) => parseInteger(text, { what: "a number of rows", min: 0, max: Number.MAX_SAFE_INTEGER }),
    help: "rows after the header",
    default: "100, or as many as the scenario needs",
  },
  layout: {
    value: "layout",
    choices: ["entry", "es003"] as const satisfies readonly Layout[],
    help: "one row for each entry, or for each tariff line",
    default: "entry",
  },
  seed: {
    value: "number",
    parse: (text) => parseSeed(text),
    help: "seed of the content; the outcome stays the same",
    default: "1",
  },
  asOf: {
    value: "date",
    parse: parseDay,
    help: "date of the submission, YYYY-MM-DD, by the sandbox's clock",
    default: "today, UTC",
  },
} as const satisfies OptionSpecs;

export const csv = command({
  name: "csv",
  summary: "write an entry file with a known outcome: all accepted, partial, failing, slow …",
  output: "bytes",
  options: csvOptions,
  examples: [
    "claims sandbox csv --out entries.csv",
    "claims sandbox csv --scenario mixed --rows 500 --layout es003 --out mixed.csv",
    "claims sandbox csv --scenario partial | claims diligence submit - --seller-name Acme --wait",
  ],
  run: async (context, call) => (await import("./run.ts")).runCsv(context, call),
});
