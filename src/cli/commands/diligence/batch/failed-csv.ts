import { relative, resolve } from "node:path";
import type { Context } from "../../../context.ts";
import { writeFileAtomically } from "../../../files/atomic-file.ts";
import { refuseReplacedInput } from "../../../files/replaced-input.ts";
import { formatCsvLine } from "../../../output/cell-text.ts";
import { type ListColumn, readCell } from "../../../output/output.ts";
import type { BatchItem } from "./item.ts";
import type { BatchSource } from "./row.ts";

/** @throws ClaimsError `duplicate_file` if the manifest or an entry file would be replaced */
export async function refuseBatchFiles(
  context: Context,
  outputs: Readonly<Record<string, string | undefined>>,
  { path, rows }: BatchSource,
): Promise<void> {
  const files = [...(path === null ? [] : [path]), ...rows.map((row) => row.path)];
  const inputs = files.map((file) => relative(context.cwd, file));
  for (const [option, output] of Object.entries(outputs))
    if (output !== undefined) await refuseReplacedInput(context, option, output, inputs);
}

/** Writes the rows that are not complete, with the columns of `--csv`. Without any, the file has a header only. */
export async function writeFailedCsv(
  { cwd }: Context,
  failedCsv: string,
  columns: readonly ListColumn<BatchItem>[],
  items: readonly BatchItem[],
): Promise<void> {
  const lines = items
    .filter(({ error, status }) => error !== null || status === "not sent")
    .map((item) => formatCsvLine(columns.map((column) => readCell(column, item))));
  const header = formatCsvLine(columns.map(({ name }) => name));
  await writeFileAtomically(resolve(cwd, failedCsv), [header, ...lines], { mode: 0o600 });
}
