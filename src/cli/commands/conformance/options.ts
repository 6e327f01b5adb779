import { type OptionSpecs, type OptionValues, sandboxNameOption } from "../../framework/options.ts";
import { checkReportOption } from "../../framework/report-file.ts";
import { parseDurationFlag, parseSeed } from "../../framework/values.ts";
import { receiverCaOption, secretOptions } from "../webhooks/options.ts";
import { probeOptions } from "../webhooks/probe/options.ts";
import { parseTarget } from "../webhooks/target.ts";

export const conformanceOptions = {
  passive: { help: "run the program once, with one sandbox, and judge all traffic that it makes" },
  requests: { help: "judge the request log of a running sandbox instead of a program" },
  receiver: {
    value: "url",
    parse: parseTarget,
    help: "judge the receiver of webhooks at this URL instead of a program",
  },
  secretFile: {
    ...secretOptions.secretFile,
    help: "signing secret of the receiver; twice for a rotation, the old one first",
  },
  effectsUrl: {
    value: "url",
    parse: parseTarget,
    help: "responds with the number of events that the receiver has processed, to prove that it processes each once",
  },
  event: { ...probeOptions.event, help: "event of the deliveries to the receiver" },
  header: {
    ...probeOptions.header,
    help: "add a header to the deliveries, as in `webhooks probe`; may repeat",
  },
  caFile: receiverCaOption,
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
    help: "time of the program in each scenario, after which it is ended, or of each response of the receiver",
    default: "90s, and 15s for a receiver",
  },
  expected: { value: "file", help: "ids of rules that are expected to fail, one a line; a pass fails" },
  writeExpected: { value: "file", help: "write the ids of the rules that fail now, for --expected" },
  ...checkReportOption,
  verbose: { short: "v", help: "show on stderr what the program prints" },
} as const satisfies OptionSpecs;

export type ConformanceOptions = OptionValues<typeof conformanceOptions>;
