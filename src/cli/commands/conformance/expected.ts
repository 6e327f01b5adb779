import { resolve } from "node:path";
import type { ConformanceReport } from "../../../conformance/report.ts";
import { usageError } from "../../../domain/errors.ts";
import { findClosest } from "../../../domain/text.ts";
import type { Context } from "../../context.ts";
import { writeFileAtomically } from "../../files/atomic-file.ts";
import { readInput } from "../../files/input-file.ts";
import { printMessage } from "../../output/stderr.ts";

/** Reads the rules that are expected to fail: an id a line, with comments after `#`. */
export async function readExpected(
  context: Context,
  file: string,
  known: readonly string[],
): Promise<ReadonlySet<string>> {
  const text = (await readInput(context, file)).toString("utf8");
  const lines = text.split("\n").map((line) => line.replace(/#.*/, "").trim());
  const ids = lines.map((id, index) => ({ id, line: index + 1 })).filter(({ id }) => id !== "");
  const unknown = ids.filter(({ id }) => !known.includes(id));
  if (unknown.length === 0) return new Set(ids.map(({ id }) => id));
  throw usageError("unknown_expected_rule", `${file} names rules that do not exist`, {
    hint: "correct or remove the lines; `claims conformance list` shows the rules",
    errors: unknown.map(({ id, line }) => {
      const closest = findClosest(id, known);
      const message =
        closest === null ? `unknown rule "${id}"` : `unknown rule "${id}"; did you mean ${closest}?`;
      return { line, column: null, code: "unknown_rule", message };
    }),
  });
}

export async function writeExpected(
  context: Context,
  file: string,
  { rules }: ConformanceReport,
): Promise<void> {
  const failed = rules.filter(({ verdict }) => verdict === "fail");
  const lines = [
    "# Rules that this program is expected to fail, for `claims conformance --expected`.",
    ...failed.map(({ id, basis, title }) => `${id}  # ${basis}: ${title}`),
  ];
  await writeFileAtomically(resolve(context.cwd, file), [`${lines.join("\n")}\n`]);
  printMessage(context, `wrote ${file}`, { path: file });
}
