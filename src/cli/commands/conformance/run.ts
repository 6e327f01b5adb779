import { assess, type RuleResult, selectScenarios } from "../../../conformance/assess.ts";
import { createReport, type ReportedScenario, type ReportSubject } from "../../../conformance/report.ts";
import type { Rule } from "../../../conformance/rule.ts";
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
import { readExpected, writeExpected } from "./expected.ts";
import { judgeRequestLog } from "./judge-request-log.ts";
import type { ConformanceOptions } from "./options.ts";
import { findFailure, renderReport, toCheckReport } from "./render.ts";
import { runAllScenarios } from "./run-all-scenarios.ts";
import { runPassively } from "./run-passively.ts";

interface ConformanceInvocation extends BaseInvocation {
  readonly args: { readonly command: readonly string[] };
  readonly options: ConformanceOptions;
}

const DEFAULT_SEED = 1;

export async function runConformance(
  context: Context,
  { args: { command }, options, onEnd }: ConformanceInvocation,
): Promise<Output> {
  const mode = chooseMode(command, options);
  const rules = selectRules(options.only);
  const grease = selectGrease(options.grease);
  const known = RULES.map(({ id }) => id);
  const given = options.expected;
  const expected = given === undefined ? new Set<string>() : await readExpected(context, given, known);
  const seed = options.seed ?? DEFAULT_SEED;
  const run = { command, seed, grease, options, onEnd };
  const trials =
    mode === "scenarios"
      ? await runAllScenarios(context, selectScenarios(rules), run)
      : mode === "passive"
        ? [await runPassively(context, run)]
        : [await judgeRequestLog(context, options)];
  const subject: ReportSubject = {
    mode,
    command,
    seed: mode === "requests" ? null : seed,
    grease,
    version: context.version,
  };
  return printResults(context, { subject, options, expected, results: assess(rules, trials), trials });
}

interface Results {
  readonly subject: ReportSubject;
  readonly options: ConformanceOptions;
  readonly expected: ReadonlySet<string>;
  readonly results: readonly RuleResult[];
  readonly trials: readonly Trial[];
}

async function printResults(context: Context, given: Results): Promise<Output> {
  const { subject, options, results, trials } = given;
  const input = {
    subject,
    results,
    scenarios: trials.map(toReportedScenario),
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

const toReportedScenario = ({ scenario, requests, runs }: Trial): ReportedScenario => ({
  id: scenario ?? "all",
  requests: requests.length,
  runs: runs.map(({ exitCode, endedBy }) => ({ exitCode, endedBy })),
});

function chooseMode(command: readonly string[], { passive, requests, sandboxName }: ConformanceOptions) {
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

function selectRules(words: readonly string[] = []): readonly Rule[] {
  for (const word of words) {
    if (RULES.some((rule) => isNamed(rule, word))) continue;
    const closest = findClosest(
      word,
      RULES.map(({ id }) => id),
    );
    throw usageError("unknown_rule", `unknown rule "${word}"`, {
      hint: closest ? `did you mean ${closest}?` : "`claims conformance list` lists the rules",
    });
  }
  return words.length === 0 ? RULES : RULES.filter((rule) => words.some((word) => isNamed(rule, word)));
}

/** `submit` names `submit.lost_answer`, and not `submits`. */
const isNamed = ({ id }: Rule, word: string): boolean => id === word || id.startsWith(`${word}.`);

function selectGrease(words: readonly string[] = []): readonly GreaseDimension[] {
  const named = new Set(words.flatMap((text) => parseGrease(text)));
  return GREASE_DIMENSIONS.filter((dimension) => named.has(dimension));
}

/** The command line that judges one rule in the same way. */
function formatRepeat(rule: string, { mode, command, seed }: ReportSubject, options: ConformanceOptions) {
  const { grease = [], sandboxName, timeout } = options;
  const words = [
    "claims",
    "conformance",
    ...(mode === "passive" ? ["--passive"] : []),
    ...(mode === "requests" ? ["--requests"] : []),
    ...(sandboxName === undefined ? [] : ["--sandbox-name", sandboxName]),
    "--only",
    rule,
    ...(seed === null ? [] : ["--seed", String(seed)]),
    ...grease.flatMap((text) => ["--grease", text]),
    ...(timeout === undefined ? [] : ["--timeout", `${timeout}ms`]),
    ...(command.length === 0 ? [] : ["--", ...command]),
  ];
  return words
    .map((word) => (isPlainShellWord(word) || /^--?[a-z-]*$/.test(word) ? word : quoteShellWord(word)))
    .join(" ");
}
