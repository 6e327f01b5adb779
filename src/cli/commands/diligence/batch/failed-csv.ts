import { resolve } from "node:path";
import { usageError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import { writeFileAtomically } from "../../../files/atomic-file.ts";
import { formatCsvLine } from "../../../output/cell-text.ts";
import { type ListColumn, readCell } from "../../../output/output.ts";
import type { BatchItem } from "./item.ts";
import type { BatchSource } from "./row.ts";

/** @throws ClaimsError `duplicate_file` if the manifest or an entry file would be overwritten */
export function refuseInputAsFailedCsv(
  { cwd }: Context,
  failedCsv: string,
  { path, rows }: BatchSource,
): void {
  const target = resolve(cwd, failedCsv);
  if (target !== path && rows.every((row) => row.path !== target)) return;
  throw usageError("duplicate_file", `--failed-csv would overwrite ${failedCsv}, which the batch reads`, {
    hint: "name another file",
  });
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
