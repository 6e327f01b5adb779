import { type OptionSpecs, type OptionValues, sandboxNameOption } from "../../framework/options.ts";
import { parseDurationFlag, parseSeed } from "../../framework/values.ts";
import { gateOptions } from "./gate-options.ts";

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
    parse: (text) => parseSeed(text),
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
    help: "time of the program in each scenario, after which it is ended",
    default: "90s",
  },
  require: {
    value: "rule",
    repeats: true,
    help: "exit 7 if nothing touched this rule, or any rule of this group; may repeat",
  },
  ...gateOptions,
  verbose: { short: "v", help: "show on stderr what the program prints" },
} as const satisfies OptionSpecs;

export type ConformanceOptions = OptionValues<typeof conformanceOptions>;
