import { type AnyCommand, command } from "../../framework/command.ts";
import { allowHostOption, type OptionSpecs, type OptionValues } from "../../framework/options.ts";
import { checkReportOption } from "../../framework/report-file.ts";
import { parseDurationFlag, parseSeed } from "../../framework/values.ts";

/** What decides the exit code of `conformance` and `webhooks probe`. */
export const gateOptions = {
  failOn: {
    value: "basis",
    choices: ["assumed", "advice"],
    help: "exit 7 for failed rules up to this basis too: assumed, or advice for all",
  },
  expected: {
    value: "file",
    help: "ids of rules that are expected to fail, one a line; a pass fails, and any other failure of any basis",
  },
  ...checkReportOption,
} as const satisfies OptionSpecs;

const conformanceOptions = {
  passive: { help: "run the program once, with one sandbox, and judge all traffic that it makes" },
  only: {
    value: "rule",
    repeats: true,
    help: "judge only this rule, or the rules that begin so, and run only their scenarios; may repeat",
  },
  seed: {
    value: "number",
    parse: (text) => parseSeed(text),
    help: "seed of ids, credentials and grease",
    default: "1",
  },
  grease: {
    value: "what",
    repeats: true,
    help: "vary assumed behaviour in every scenario: dimensions with commas, or all",
  },
  ...allowHostOption,
  timeout: {
    value: "duration",
    parse: parseDurationFlag,
    help: "time of the program in each scenario, after which it is ended",
    default: "90s",
  },
  require: {
    value: "rule",
    repeats: true,
    help: "exit 7 if nothing touched this rule, or any rule of this group; may repeat",
  },
  ...gateOptions,
  verbose: { short: "v", help: "show every rule and run, and on stderr what the program prints" },
} as const satisfies OptionSpecs;

export type ConformanceOptions = OptionValues<typeof conformanceOptions>;

const conformance = command({
  name: "conformance",
  prints: "ConformanceReport",
  summary: "grade a program against the interface: what is documented, assumed, and good practice",
  output: "record",
  quietPrints: "the verdict",
  arguments: [
    {
      name: "program",
      help: "its command line, after --; it runs in each scenario",
      isVariadic: true,
      isOptional: true,
      isPassThrough: true,
    },
  ],
  options: conformanceOptions,
  examples: [
    "claims conformance -- ./nightly.sh",
    "claims conformance --passive -- npm test",
    "claims conformance --require submit --require results --fail-on assumed -- ./nightly.sh",
  ],
  run: async (context, call) => (await import("./run.ts")).runConformance(context, call),
});

const list = command({
  name: "conformance list",
  prints: "ConformanceRules",
  summary: "list the rules, with the sentence of the interface that each rests on",
  output: "document",
  examples: ["claims conformance list", "claims conformance list --json | jq -r '.rules[].id'"],
  run: async () => (await import("./list.ts")).listRules(),
});

/** Every command loads them, so they load the rules and the runner themselves. */
export const conformanceCommands: readonly AnyCommand[] = [conformance, list];
