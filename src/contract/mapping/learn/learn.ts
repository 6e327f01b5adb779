import { OPERATIONS } from "../../operations/operations.ts";
import type { CsvFormat } from "../mapping.ts";
import { findErrorPlaces, needsErrorWord } from "./error-places.ts";
import { findItems } from "./items.ts";
import { type LearnedJob, learnJob, learnSubmittedId, type Submission, watchJob } from "./learn-job.ts";
import { learnLists } from "./learn-lists.ts";
import { type Leaf, listLeaves } from "./leaves.ts";
import type { LearnedLines } from "./lines.ts";
import { findTimeForm, makeUnknownId } from "./looks.ts";
import type { LearningPort, Observation } from "./port.ts";

const { dataset, report, status } = OPERATIONS.diligence;

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
  const documents: unknown[] = [];
  const watched: LearningPort = {
    ...port,
    async read(request) {
      const response = await port.read(request);
      if (response !== null && response.status < 300) documents.push(response.json);
      return response;
    },
  };
  const firstReads = new Map<string, unknown>();
  const onRead = (id: string, document: unknown) => void firstReads.set(id, document);
  const jobIds = await learnSubmittedId(watched, lines, submissions, onRead);
  const jobs: LearnedJob[] = [];
  for (const [index, id] of jobIds.entries()) {
    const submission = submissions[index];
    if (id === null || !submission) continue;
    const { file, isClean } = submission;
    jobs.push({
      id,
      file,
      isClean,
      documents: await watchJob(watched, id, firstReads.has(id) ? [firstReads.get(id)] : []),
    });
  }
  await learnJob(lines, jobs);
  for (const { id } of jobs) if (await learnResults(watched, lines, id)) break;
  await learnErrors(watched, lines, jobs[0]?.id);
  await learnLists(watched, lines);
  learnTimes(lines, documents);
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
  const found = findErrorPlaces(first, id);
  const isSteady = ({ path, value }: Leaf) =>
    second === null ||
    second.json === undefined ||
    listLeaves(second.json).some((leaf) => leaf.path === path && leaf.value === value);
  const codes = found.codes.filter(isSteady);
  const messages = found.messages.filter(isSteady);
  const toCandidates = (leaves: readonly Leaf[]) =>
    leaves.map(({ path, value }) => ({ value: path, shows: String(value) }));
  if (!codes.some(({ path }) => path === "code") || codes.length > 1)
    await lines.settle(
      "error.code",
      "Which of these is the code of an error?",
      toCandidates(codes),
      codes.length === 1,
    );
  if (!messages.some(({ path }) => path === "detail") || messages.length > 1)
    await lines.settle(
      "error.message",
      "Which of these is the message of an error?",
      toCandidates(messages),
      messages.length === 1,
    );
  const place = lines.get("error.code") ?? "code";
  const code = codes.find(({ path }) => path === place)?.value;
  if (realId !== undefined && code !== undefined && needsErrorWord(first.status))
    lines.prove("error.words", { [`${first.status} ${code}`]: "not_found" });
}

/** The dataset and the report of a job that has ended. False if it has none. */
async function learnResults(port: LearningPort, lines: LearnedLines, jobId: string): Promise<boolean> {
  const read = await port.read({ operation: dataset, params: { jobId } });
  if (read === null || read.status >= 300) return false;
  if (/csv|tab-separated/.test(read.headers["content-type"] ?? "")) {
    const csv = findCsvFormat(read.text);
    if (csv) lines.prove("dataset.csv", csv);
  } else if (read.json !== undefined) await learnRows(lines, read);
  const found = await port.read({ operation: report, params: { jobId } });
  const place = listLeaves(found?.json).find(({ steps }) => steps.some(({ name }) => name === "rf8Review"));
  return place !== undefined || found !== null;
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
