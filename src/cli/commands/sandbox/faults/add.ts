import type { FaultEffect, FaultMatch, FaultRule } from "../../../../../sandbox/index.ts";
import { ClaimsError, rephraseError } from "../../../../domain/errors.ts";
import { command } from "../../../framework/command.ts";
import { parseDurationFlag, parseInteger } from "../../../framework/values.ts";
import type { Block } from "../../../output/output.ts";
import { readControl, requireControl } from "../../../sandbox-control/control.ts";
import { sandboxNameOption } from "../options.ts";
import { describeMatch } from "./describe-rule.ts";

const MAX_COUNT = 1_000_000_000;

const countOption = (what: string, least: number, most = MAX_COUNT) => ({
  value: "n",
  parse: (text: string) => parseInteger(text, { what, min: least, max: most }),
});

export const faultsAdd = command({
  name: "faults add",
  summary: "let requests to a sandbox fail, as a preset or the options say",
  remote: false,
  output: "record",
  arguments: [
    { name: "preset", help: "a rule that has a name, see `claims sandbox faults presets`", isOptional: true },
  ],
  options: {
    ...sandboxNameOption,
    operation: { value: "operation", help: "only of this operation, as in diligence.submit" },
    path: { value: "path", help: "only on this path; * stands for any characters" },
    method: { value: "method", parse: (text) => text.toUpperCase(), help: "only with this method" },
    header: {
      value: "header",
      parse: parseHeader,
      repeats: true,
      help: "only with this header, as 'Name: value'; the name alone for any value",
    },
    nth: { ...countOption("a number of a request", 1), help: "only the nth request that matches, from 1" },
    phase: {
      value: "phase",
      choices: ["before", "after"],
      help: "whether the work is left undone, or done and its answer lost (before)",
    },
    times: { ...countOption("a number of times", 1), help: "how often at the most" },
    skip: { ...countOption("a number of requests", 0), help: "how many are let through first" },
    probability: {
      value: "share",
      parse: parseProbability,
      help: "how likely, 0 to 1, drawn from the seed (1)",
    },
    status: { ...countOption("an HTTP error", 400, 599), help: "answer with this status, 400 to 599" },
    retryAfter: {
      value: "pause",
      parse: parseRetryAfter,
      help: "with --status: seconds, or a duration or HTTP date, sent as a date",
    },
    delay: {
      value: "duration",
      parse: (text) => `${parseDurationFlag(text)}ms`,
      help: "let the work, or with --phase after its answer, wait",
    },
    reset: { help: "reset the connection" },
    hang: { help: "never answer" },
    truncate: { help: "send half the body and end the connection" },
    badChunk: { help: "send half the body and then what is no chunk" },
    garbage: { help: "send what is no HTTP" },
  },
  examples: [
    "claims sandbox faults add ghost-commit --operation diligence.submit",
    "claims sandbox faults add flaky --probability 0.5",
    "claims sandbox faults add --path '*/diligence/*' --method GET --times 2 --status 503 --retry-after 1",
  ],
  async run(context, { args, options }) {
    const { operation, path, method, header, nth, phase, times, skip, probability } = options;
    const { status, retryAfter, delay, reset, hang, truncate, badChunk, garbage } = options;
    const match: FaultMatch = dropUndefined({
      ...{ operation, path, method, nth },
      header: header && Object.fromEntries(header),
    });
    const then: FaultEffect = dropUndefined({
      ...{ status, retryAfter, delay },
      ...{ reset, hang, truncate, badChunk, garbage },
    });
    if (args.preset === undefined && Object.keys(then).length === 0) throw missingEffect();
    // Only what is said stands on top of a preset.
    const body = {
      ...{ preset: args.preset, phase, times, skip, probability },
      ...(Object.keys(match).length > 0 && { match }),
      ...(Object.keys(then).length > 0 && { then }),
    };
    const control = await requireControl(context, options.name);
    const rule = await readControl<FaultRule>(context, control, "words", "POST", "/faults", { body }).catch(
      (error: unknown) => {
        throw error instanceof ClaimsError ? nameFlags(error) : error;
      },
    );
    return { kind: "record", id: String(rule.id), json: rule, blocks: renderRule(rule) };
  },
});

const renderRule = (rule: FaultRule): Block[] => [
  {
    kind: "card",
    rows: [
      ["rule", rule.id],
      ["what happens", rule.words],
      ["to", describeMatch(rule)],
    ],
  },
  {
    kind: "paragraph",
    lines: [`\`claims sandbox faults clear ${rule.id}\` ends it.`],
    isAdvice: true,
  },
];

/** Without what was not given. */
const dropUndefined = <T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

/** `Name: value`, `Name=value`, or a name whatever its value is; RFC 9110 §5.6.2 and §5.5. */
function parseHeader(text: string): readonly [name: string, value: string | true] {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+)(?:[:=][ \t]*([^\r\n\0]*?)[ \t]*)?$/.exec(text) ?? [];
  if (name !== undefined) return [name, value ?? true];
  throw new ClaimsError("usage", "invalid_header", `${JSON.stringify(text)} is no header`, {
    hint: "write --header 'Name: value', or its name alone for any value",
  });
}

function parseProbability(text: string): number {
  const share = /^(\d+(\.\d+)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  if (share >= 0 && share <= 1) return share;
  throw new ClaimsError("usage", "invalid_number", `"${text}" is not a probability`, {
    hint: "write a number from 0 to 1, such as 0.2",
  });
}

/** A number is one of seconds. */
function parseRetryAfter(text: string): number | string {
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}

/** The fields that the control API names are flags here: `then.retryAfterSeconds` is `--retry-after`. */
function nameFlags(error: ClaimsError): ClaimsError {
  const flagged = (text: string) =>
    text.replace(
      /\b(?:match|then)\.([a-z]+)([A-Z][a-z]+)?/g,
      (_, first: string, second = "") => `--${first}${second && `-${second.toLowerCase()}`}`,
    );
  return rephraseError(error, { message: flagged(error.message), hint: flagged(error.hint) });
}

const missingEffect = (): ClaimsError =>
  new ClaimsError("usage", "fault_without_effect", "nothing says what is to happen", {
    hint: "name a preset (`claims sandbox faults presets`), or give --status, --delay, --reset, --hang, --truncate, --bad-chunk or --garbage",
  });
