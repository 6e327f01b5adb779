import { assess, type RuleFacts, type RuleResult, selectScenarios } from "../../../conformance/assess.ts";
import { assessReceiver } from "../../../conformance/receiver/assess-receiver.ts";
import { isDrillId } from "../../../conformance/receiver/drills.ts";
import { RECEIVER_RULES } from "../../../conformance/receiver/rules.ts";
import type { ReceiverTrial } from "../../../conformance/receiver/trial.ts";
import { createReport, type ReportedScenario, type ReportSubject } from "../../../conformance/report.ts";
import { RULES } from "../../../conformance/rules.ts";
import type { Trial } from "../../../conformance/trial.ts";
import { GREASE_DIMENSIONS, type GreaseDimension } from "../../../contract/grease.ts";
import { usageError } from "../../../domain/errors.ts";
import { isPlainShellWord, quoteShellWord } from "../../../domain/shell.ts";
import { findClosest } from "../../../domain/text.ts";
import { parseGrease } from "../../connection/sandbox-variables.ts";
import type { Context } from "../../context.ts";
import type { BaseInvocation } from "../../framework/command.ts";
import { writeCheckReports } from "../../output/check-report.ts";
import type { Output } from "../../output/output.ts";
import { requireControl } from "../../sandbox-control/control.ts";
import { readExpected, writeExpected } from "./expected.ts";
import type { ConformanceOptions } from "./options.ts";
import { findFailure, renderReport, toCheckReport } from "./render.ts";
import { runAllScenarios } from "./run-all-scenarios.ts";
import { runPassively } from "./run-passively.ts";
import { runReceiver } from "./run-receiver.ts";

/** The request log of a running sandbox as a trial, without what the sandbox itself sent again. */
async function judgeRequestLog(
  context: Context,
  options: Pick<ConformanceOptions, "sandboxName">,
): Promise<Trial> {
  const control = await requireControl(context, options);
  const requests = await control.list("GET /requests");
  return {
    scenario: null,
    requests: requests.filter(({ replayOf }) => replayOf === null),
    runs: [],
    plain: null,
    strayCredentials: [],
  };
}

interface ConformanceInvocation extends BaseInvocation {
  readonly args: { readonly program: readonly string[] };
  readonly options: ConformanceOptions;
}

const DEFAULT_SEED = 1;

export async function runConformance(
  context: Context,
  { args: { program: command }, options, onEnd }: ConformanceInvocation,
): Promise<Output> {
  const mode = chooseMode(command, options);
  const rules = selectRules(mode === "receiver" ? [] : RULES, options.only);
  const receiverRules = selectRules(mode === "receiver" ? RECEIVER_RULES : [], options.only);
  const grease = selectGrease(options.grease);
  const known = [...RULES, ...RECEIVER_RULES].map(({ id }) => id);
  const given = options.expected;
  const expected = given === undefined ? new Set<string>() : await readExpected(context, given, known);
  const seed = options.seed ?? DEFAULT_SEED;
  const run = { command, seed, grease, options, onEnd };
  const subject: ReportSubject = { mode, command, seed, grease, version: context.version };
  if (options.receiver) {
    const { href, pathname, search } = new URL(options.receiver);
    const trial = await runReceiver(context, new URL(href), receiverRules, options);
    const results = assessReceiver(receiverRules, trial, pathname + search);
    return printResults(context, {
      subject: { ...subject, command: [href], seed: null },
      options,
      expected,
      results,
      scenarios: listParts(trial),
    });
  }
  const trials =
    mode === "scenarios"
      ? await runAllScenarios(context, selectScenarios(rules, options.only !== undefined), run)
      : mode === "passive"
        ? await runPassively(context, run)
        : [await judgeRequestLog(context, options)];
  return printResults(context, {
    subject: { ...subject, seed: mode === "requests" ? null : seed },
    options,
    expected,
    results: assess(rules, trials),
    scenarios: toReportedScenarios(trials),
  });
}

interface Results {
  readonly subject: ReportSubject;
  readonly options: ConformanceOptions;
  readonly expected: ReadonlySet<string>;
  readonly results: readonly RuleResult[];
  readonly scenarios: readonly ReportedScenario[];
}

async function printResults(context: Context, given: Results): Promise<Output> {
  const { subject, options, results, scenarios } = given;
  const input = {
    subject,
    results,
    scenarios,
    repeat: (rule: string) => formatRepeat(rule, subject, options),
  };
  if (options.writeExpected !== undefined) {
    await writeExpected(context, options.writeExpected, createReport({ ...input, expected: new Set() }));
  }
  const failed = results.flatMap(({ rule, verdict }) => (verdict === "fail" ? [rule.id] : []));
  const expected = options.writeExpected === undefined ? given.expected : new Set(failed);
  const report = createReport({ ...input, expected });
  await writeCheckReports(context, toCheckReport(report), options.report ?? []);
  return renderReport(report, findFailure(report));
}

/** One row for each scenario, or one for all traffic that no scenario made. */
function toReportedScenarios(trials: readonly Trial[]): ReportedScenario[] {
  const ids = [...new Set(trials.map(({ scenario }) => scenario))];
  return ids.map((id) => {
    const own = trials.filter(({ scenario }) => scenario === id);
    const runs = own[0]?.runs ?? [];
    return {
      id: id ?? "all",
      requests: own.reduce((sum, { requests }) => sum + requests.length, 0),
      runs: runs.map(({ exitCode, endedBy }) => ({ exitCode, endedBy })),
    };
  });
}

/** How many deliveries a receiver got in each drill, and of each kind of cases. */
function listParts({ deliveries }: ReceiverTrial): readonly ReportedScenario[] {
  const kinds = deliveries.map(({ part }) => (isDrillId(part) ? part : `probe.${part.split(".")[0]}`));
  return [...new Set(kinds)].map((id) => ({
    id,
    requests: kinds.filter((kind) => kind === id).length,
    runs: [],
  }));
}

/** Options that say how to send to a receiver. */
const RECEIVER_OPTIONS = {
  secretFile: "--secret-file",
  effectsUrl: "--effects-url",
  event: "--event",
  header: "--header",
  caFile: "--ca-file",
} as const;

function chooseMode(command: readonly string[], options: ConformanceOptions): ReportSubject["mode"] {
  const { passive, requests, receiver, sandboxName, seed, grease } = options;
  if (receiver) {
    const others = [command.length > 0, passive, requests, sandboxName, seed, grease];
    if (others.every((other) => other === undefined || other === false)) return "receiver";
    throw usageError("option_conflict", "--receiver judges a receiver, and uses no program and no sandbox", {
      hint: "leave out the program, --passive, --requests, --sandbox-name, --seed and --grease, or --receiver",
    });
  }
  for (const [option, flag] of Object.entries(RECEIVER_OPTIONS))
    if (options[option as keyof typeof RECEIVER_OPTIONS] !== undefined)
      throw usageError("option_conflict", `${flag} is for receivers`, {
        hint: "add --receiver URL, or leave it out",
      });
  if (requests) {
    if (command.length === 0 && !passive) return "requests";
    throw usageError("option_conflict", "--requests judges a running sandbox, and takes no program", {
      hint: "leave out the program and --passive, or leave out --requests",
    });
  }
  if (sandboxName !== undefined)
    throw usageError("option_conflict", "a program gets a sandbox of its own, not a running one", {
      hint: "add --requests to judge the running sandbox, or leave out --sandbox-name",
    });
  if (command.length > 0) return passive ? "passive" : "scenarios";
  throw usageError("no_program", "no program is given", {
    hint: "give its command line after --, as in `claims conformance -- ./nightly.sh`",
  });
}

/** @param rules those of the mode; empty for those of the other one */
function selectRules<R extends RuleFacts>(rules: readonly R[], words: readonly string[] = []): readonly R[] {
  if (rules.length === 0) return [];
  for (const word of words) {
    if (rules.some((rule) => isNamed(rule, word))) continue;
    const closest = findClosest(
      word,
      rules.map(({ id }) => id),
    );
    const isForReceivers = RECEIVER_RULES.some((rule) => isNamed(rule, word));
    throw usageError("unknown_rule", `unknown rule "${word}"`, {
      hint: isForReceivers
        ? "it is a rule for receivers: give --receiver URL instead of a program"
        : closest
          ? `did you mean ${closest}?`
          : "`claims conformance list` lists the rules",
    });
  }
  return words.length === 0 ? rules : rules.filter((rule) => words.some((word) => isNamed(rule, word)));
}

/** `submit` names `submit.lost_answer`, and not `submits`. */
const isNamed = ({ id }: RuleFacts, word: string): boolean => id === word || id.startsWith(`${word}.`);

function selectGrease(words: readonly string[] = []): readonly GreaseDimension[] {
  const named = new Set(words.flatMap((text) => parseGrease(text)));
  return GREASE_DIMENSIONS.filter((dimension) => named.has(dimension));
}

const formatTimeout = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`);

/** The command line that judges one rule in the same way. */
function formatRepeat(rule: string, { mode, command, seed }: ReportSubject, options: ConformanceOptions) {
  const {
    grease = [],
    sandboxName,
    timeout,
    secretFile = [],
    effectsUrl,
    event,
    header = [],
    caFile,
  } = options;
  const words = [
    "claims",
    "conformance",
    ...(mode === "passive" ? ["--passive"] : []),
    ...(mode === "requests" ? ["--requests"] : []),
    ...(mode === "receiver" ? ["--receiver", ...command] : []),
    ...(sandboxName === undefined ? [] : ["--sandbox-name", sandboxName]),
    "--only",
    rule,
    ...(seed === null ? [] : ["--seed", String(seed)]),
    ...grease.flatMap((text) => ["--grease", text]),
    ...(timeout === undefined ? [] : ["--timeout", formatTimeout(timeout)]),
    ...secretFile.flatMap((file) => ["--secret-file", file]),
    ...(effectsUrl === undefined ? [] : ["--effects-url", effectsUrl]),
    ...(event === undefined ? [] : ["--event", event]),
    ...header.flatMap((text) => ["--header", text]),
    ...(caFile === undefined ? [] : ["--ca-file", caFile]),
    ...(mode === "receiver" || command.length === 0 ? [] : ["--", ...command]),
  ];
  return words
    .map((word) => (isPlainShellWord(word) || /^--?[a-z-]*$/.test(word) ? word : quoteShellWord(word)))
    .join(" ");
}
