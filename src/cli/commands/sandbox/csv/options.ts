import type { Layout } from "../../../../domain/entries/entry.ts";
import type { ScenarioName } from "../../../../domain/scenarios/scenarios.ts";
import type { OptionSpecs } from "../../../framework/options.ts";
import { parseDay, parseInteger, parseSeed } from "../../../framework/values.ts";

const LAYOUTS = ["entry", "es003"] as const satisfies readonly Layout[];

/** It has every classification, route and grade. */
export const DEFAULT_SCENARIO: ScenarioName = "mixed";
export const DEFAULT_ROWS = 100;

export const csvOptions = {
  scenario: {
    value: "scenario",
    default: DEFAULT_SCENARIO,
    help: "outcome of the file; `claims sandbox scenarios` lists them",
  },
  rows: {
    value: "n",
    parse: (text) => parseInteger(text, { what: "a number of rows", min: 0, max: Number.MAX_SAFE_INTEGER }),
    help: "rows after the header",
    default: `${DEFAULT_ROWS}, or as many as the scenario needs`,
  },
  layout: {
    value: "layout",
    choices: LAYOUTS,
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
