import type { CsvFormat } from "../../../../contract/mapping/mapping.ts";
import { OPERATIONS } from "../../../../contract/operations/operations.ts";
import { findItems } from "./items.ts";
import type { LearnedLines } from "./lines.ts";
import { isSuccess, type ServiceReads } from "./service-reads.ts";

/** The rows of the dataset of a job that has ended, or its form if it is CSV. False if it has none. */
export async function learnDataset(
  reads: ServiceReads,
  lines: LearnedLines,
  jobId: string,
): Promise<boolean> {
  const response = await reads.read({ operation: OPERATIONS.diligence.dataset, params: { jobId } });
  if (!isSuccess(response)) return false;
  if (/csv|tab-separated/.test(response.headers["content-type"] ?? "")) {
    const csv = findCsvFormat(response.text);
    if (csv) lines.prove("dataset.csv", csv);
    return true;
  }
  const lists = findItems(response.json).filter(({ line }) => !line.endsWith("{}"));
  if (!lists.some(({ line }) => line === "rows"))
    await lines.settle("dataset.rows", "Which of these are the rows of a dataset?", lists);
  return true;
}

/** The delimiter that splits each line of a table into the same number of cells. */
function findCsvFormat(text: string): CsvFormat | null {
  const rows = text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .filter(Boolean)
    .slice(0, 50);
  const count = (row: string, delimiter: string) => row.replace(/"[^"]*"/g, "").split(delimiter).length;
  const delimiter = [";", "|", "\t", ","].find((each) => {
    const counts = new Set(rows.map((row) => count(row, each)));
    return counts.size === 1 && !counts.has(1);
  });
  if (delimiter === undefined) return null;
  const cells = rows.slice(1).flatMap((row) => row.split(delimiter));
  const hasComma = delimiter !== "," && cells.some((cell) => /^"?-?\d+,\d\d?"?$/.test(cell));
  return { delimiter, ...(hasComma && { decimal: "," as const }) };
}
