import { type OptionSpecs, type OptionValues, sandboxNameOption } from "../../framework/options.ts";
import { reportFileParser } from "../../framework/report-file.ts";
import { parseDurationFlag, parseInteger } from "../../framework/values.ts";

const MAX_SEED = 2 ** 32 - 1;

export const conformanceOptions = {
  passive: { help: "run the program once, with one sandbox, and judge all traffic that it makes" },
  requests: { help: "judge the request log of a running sandbox instead of a program" },
  ...sandboxNameOption,
  only: {
    value: "rule",
    repeats: true,
    help: "judge only this rule, or the rules that begin so, and run only their scenarios; may repeat",
  },
  seed: {
    value: "number",
    parse: (text) => parseInteger(text, { what: "a seed", min: 0, max: MAX_SEED }),
    help: "seed of ids, credentials and grease",
    default: "1",
  },
  grease: {
    value: "what",
    repeats: true,
    help: "vary assumed behaviour in every scenario: dimensions with commas, or all",
  },
  timeout: {
    value: "duration",
    parse: parseDurationFlag,
    help: "time of the program in each scenario; then it is ended",
    default: "90s",
  },
  expected: { value: "file", help: "ids of rules that are expected to fail, one a line; a pass fails" },
  writeExpected: { value: "file", help: "write the ids of the rules that fail now, for --expected" },
  report: {
    value: "file",
    repeats: true,
    parse: reportFileParser([".json", ".xml", ".md"]),
    help: "write a report: JSON (.json), JUnit (.xml) or Markdown (.md); may repeat",
  },
  verbose: { short: "v", help: "show on stderr what the program prints" },
} as const satisfies OptionSpecs;

export type ConformanceOptions = OptionValues<typeof conformanceOptions>;
