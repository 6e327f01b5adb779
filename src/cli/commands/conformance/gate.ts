import { createReport, type Gate, isNamed } from "../../../conformance/report.ts";
import type { ConformanceReport } from "../../../conformance/report-document.ts";
import { usageError } from "../../../domain/errors.ts";
import { isPlainShellWord, quoteShellWord } from "../../../domain/shell.ts";
import { findClosest } from "../../../domain/text.ts";
import type { Context } from "../../context.ts";
import { readInput } from "../../files/input-file.ts";
import type { OptionValues } from "../../framework/options.ts";
import { writeCheckReports } from "../../output/check-report.ts";
import type { gateOptions } from "./conformance.ts";
import { toCheckReport } from "./render.ts";

type GateOptions = OptionValues<typeof gateOptions> & { readonly require?: readonly string[] | undefined };

/** @param rules all that exist */
export async function readGate(
  context: Context,
  { failOn, expected, require: required = [] }: GateOptions,
  rules: readonly { readonly id: string }[],
): Promise<Gate> {
  selectRules(rules, required);
  const ids = rules.map(({ id }) => id);
  return {
    failOn: failOn ?? "documented",
    required,
    expected: expected === undefined ? null : await readExpected(context, expected, ids),
  };
}

/** The rules that words name, by their ids or the first words of these. */
export function selectRules<R extends { readonly id: string }>(
  rules: readonly R[],
  words: readonly string[] = [],
) {
  const ids = rules.map(({ id }) => id);
  for (const word of words) {
    if (rules.some((rule) => isNamed(rule, word))) continue;
    const closest = findClosest(word, [...ids, ...ids.map((id) => id.replace(/\..*$/s, ""))]);
    throw usageError("option_invalid", `unknown rule "${word}"`, {
      hint: closest
        ? `did you mean ${closest}?`
        : "`claims conformance list` and `claims webhooks probe URL --dry-run` list the rules",
    });
  }
  return words.length === 0 ? rules : rules.filter((rule) => words.some((word) => isNamed(rule, word)));
}

export async function finishReport(
  context: Context,
  { report: files = [] }: GateOptions,
  input: Parameters<typeof createReport>[0],
): Promise<ConformanceReport> {
  const report = createReport(input);
  await writeCheckReports(context, toCheckReport(report), files);
  return report;
}

/** Reads the rules that are expected to fail: an id a line, with comments after `#`. */
async function readExpected(context: Context, file: string, known: readonly string[]) {
  const text = (await readInput(context, file)).toString("utf8");
  const lines = text.split("\n").map((line) => line.replace(/#.*/, "").trim());
  const ids = lines.map((id, index) => ({ id, line: index + 1 })).filter(({ id }) => id !== "");
  const unknown = ids.filter(({ id }) => !known.includes(id));
  if (unknown.length === 0) return new Set(ids.map(({ id }) => id));
  throw usageError("invalid_input", `${file} names rules that do not exist`, {
    hint: "correct or remove the lines; `claims conformance list` shows the rules",
    errors: unknown.map(({ id, line }) => ({
      line,
      column: null,
      code: "unknown_rule",
      message: `unknown rule "${id}"`,
    })),
  });
}

export const joinShellWords = (words: readonly string[]): string =>
  words
    .map((word) => (isPlainShellWord(word) || /^--?[a-z-]*$/.test(word) ? word : quoteShellWord(word)))
    .join(" ");
