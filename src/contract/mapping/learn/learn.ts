import { OPERATIONS } from "../../operations/operations.ts";
import type { CsvFormat } from "../mapping.ts";
import { findItems } from "./items.ts";
import { type LearnedJob, learnJob, watchJob } from "./learn-job.ts";
import { learnLists } from "./learn-lists.ts";
import type { LearnedLines } from "./lines.ts";
import type { LearningPort, Observation } from "./port.ts";
import { learnSubmittedId, type Submission } from "./submitted-id.ts";
import { findTimeForm, isSentence, isToken, type Leaf, listLeaves, makeUnknownId } from "./values.ts";

const { dataset, status } = OPERATIONS.diligence;

/**
 * Learns a mapping: lists, errors, and the jobs of the submissions. What is proved is in `lines` at any time.
 *
 * @returns the ids of the jobs, in the order of the submissions; null where it is not known
 */
export async function learnMapping(
  port: LearningPort,
  lines: LearnedLines,
  submissions: readonly Submission[],
): Promise<readonly (string | null)[]> {
  const listStatuses = (id: string) =>
    port.documents
      .filter(({ request }) => request.operation === status && request.params?.jobId === id)
      .map(({ json }) => json);
  const jobIds = await learnSubmittedId(port, lines, submissions);
  const jobs: LearnedJob[] = [];
  for (const [index, { file, isClean }] of submissions.entries()) {
    const id = jobIds[index];
    if (typeof id !== "string") continue;
    await watchJob(port, id, () => listStatuses(id));
    jobs.push({ id, file, isClean, documents: listStatuses(id) });
  }
  await learnJob(lines, jobs);
  for (const { id } of jobs) if (await learnDataset(port, lines, id)) break;
  await learnErrors(port, lines, jobs[0]?.id);
  await learnLists(port, lines);
  learnTimes(
    lines,
    port.documents.map(({ json }) => json),
  );
  return jobIds;
}

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

/** The error of a job that does not exist, of the form of a real id. What changes between two such errors is no code. */
async function learnErrors(
  port: LearningPort,
  lines: LearnedLines,
  realId: string | undefined,
): Promise<void> {
  const id = realId === undefined ? UNKNOWN_ID : makeUnknownId(realId);
  const read = () => port.try({ operation: status, params: { jobId: id } });
  const first = await read();
  if (first === null || first.status < 400 || [401, 403, 429].includes(first.status) || first.status >= 500)
    return;
  const second = await read();
  const isSteady = ({ path, value }: Leaf) =>
    !second?.json || listLeaves(second.json).some((leaf) => leaf.path === path && leaf.value === value);
  const leaves = listErrorTexts(first).filter(isSteady);
  const codes = leaves.filter(({ path, value }) => path !== "" && isErrorCode(value, first.status, id));
  await settlePlace(lines, "error.code", "code", codes);
  const messages = leaves.filter(({ value }) => isSentence(value) && !STATUS_TEXTS.test(value));
  await settlePlace(lines, "error.message", "detail", messages);
  const place = lines.get("error.code") ?? "code";
  const code = codes.find(({ path }) => path === place)?.value;
  // 404 says it by itself.
  if (realId !== undefined && code !== undefined && first.status !== 404)
    lines.prove("error.words", { [`${first.status} ${code}`]: "not_found" });
}

/** The text of the body is at the empty path. */
const listErrorTexts = ({ json, text }: Observation): readonly Leaf[] =>
  json === undefined ? [{ path: "", steps: [], value: text.trim() }] : listLeaves(json);

const STATUS_TEXTS = /^(bad request|not found|gone|unprocessable (entity|content)|forbidden|conflict)$/i;

const LANGUAGE = /^[a-z]{2}([-_][A-Z]{2})?$/;

const isErrorCode = (value: unknown, status: number, id: string): boolean =>
  isToken(value) &&
  !LANGUAGE.test(String(value)) &&
  String(value) !== String(status) &&
  String(value).toLowerCase() !== id.toLowerCase();

/** @param own the contract's place: it needs no line */
async function settlePlace(
  lines: LearnedLines,
  key: "error.code" | "error.message",
  own: string,
  leaves: readonly Leaf[],
): Promise<void> {
  const isOnly = leaves.length === 1;
  if (isOnly && leaves[0]?.path === own) return;
  const candidates = leaves.map(({ path, value }) => ({ value: path, shows: String(value) }));
  await lines.settle(key, `Which of these is the ${key.slice(6)} of an error?`, candidates, isOnly);
}

/** The dataset of a job that has ended. False if it has none. */
async function learnDataset(port: LearningPort, lines: LearnedLines, jobId: string): Promise<boolean> {
  const read = await port.read({ operation: dataset, params: { jobId } });
  if (read === null || read.status >= 300) return false;
  if (/csv|tab-separated/.test(read.headers["content-type"] ?? "")) {
    const csv = findCsvFormat(read.text);
    if (csv) lines.prove("dataset.csv", csv);
  } else if (read.json !== undefined) await learnRows(lines, read);
  return true;
}

async function learnRows(lines: LearnedLines, { json }: Observation): Promise<void> {
  const found = findItems(json).filter(({ path }) => !path.endsWith("{}"));
  if (found.some(({ path }) => path === "rows")) return;
  await lines.settle(
    "dataset.rows",
    "Which of these are the rows of a dataset?",
    found.map(({ path, rows }) => ({ value: path, shows: `${rows.length} rows` })),
    found.length === 1,
  );
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

/** How a service writes times, if it writes all alike. */
function learnTimes(lines: LearnedLines, documents: readonly unknown[]): void {
  const forms = new Set(
    documents
      .flatMap((document) => listLeaves(document))
      .map(({ value }) => findTimeForm(value))
      .filter((form) => form !== null && form !== "date"),
  );
  const [only] = forms;
  if (forms.size === 1 && only !== undefined && only !== "other" && only !== "rfc3339")
    lines.prove("times", only);
}
