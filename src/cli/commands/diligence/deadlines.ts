import type { Static } from "typebox";
import { isUrgent } from "../../../domain/diligence/entry-classifier.ts";
import { type Day, formatDay, parseIsoDay, timeToDay } from "../../../domain/entries/dates.ts";
import type { ErrorKind } from "../../../domain/error-codes.ts";
import { type ClaimsError, unreachableError, usageError } from "../../../domain/errors.ts";
import { labelRoute } from "../../../domain/labels.ts";
import { formatCount, formatDollars } from "../../../domain/numbers.ts";
import { openService, type Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import type { DILIGENCE_DOCUMENTS } from "../../documents/diligence.ts";
import { readIds } from "../../files/input-file.ts";
import { aggregateErrors } from "../../framework/aggregate-errors.ts";
import { command } from "../../framework/command.ts";
import { handleFailure } from "../../framework/handle-failure.ts";
import { parseDay, parseDays } from "../../framework/values.ts";
import { hiddenColumns, type ListColumn, toListOutput } from "../../output/output.ts";
import { startProgress } from "../../output/progress.ts";
import { printMessage } from "../../output/stderr.ts";
import { completeId } from "../../records/complete-id.ts";
import { listSubmittedJobs } from "../../write-log/job-log.ts";
import { type DatasetEntry, openDataset, readEntries } from "./dataset/entries.ts";
import { jobArguments } from "./options.ts";

const DEFAULT_DAYS = 14;

type Deadline = Static<(typeof DILIGENCE_DOCUMENTS)["Deadlines"]>[number];

/** File and seller are null for a job that this machine did not submit. */
type Job = Pick<Deadline, "jobId" | "file" | "seller">;

/** With the time of its submission; "" if this machine did not submit it. */
type SubmittedJob = Job & { readonly at: string };

/** The entries of a job with one deadline and one route. */
type DeadlineGroup = Omit<Deadline, keyof Job>;

export const deadlines = command({
  name: "deadlines",
  prints: "Deadlines",
  summary: "list the deadlines that fall due next, of the jobs of this machine",
  remote: "reads",
  output: "list",
  arguments: [
    {
      ...jobArguments,
      help: "job ids; - reads them from stdin",
      default: "the jobs that this machine submitted to this service",
    },
  ],
  options: {
    within: {
      value: "duration",
      parse: parseDays,
      help: "list the deadlines of so many days, as in 30d",
      default: `${DEFAULT_DAYS}d`,
    },
    asOf: {
      value: "date",
      parse: parseDay,
      help: "count the days from this date, YYYY-MM-DD",
      default: "today, UTC",
    },
  },
  examples: [
    "claims diligence deadlines",
    "claims diligence deadlines --within 30d --csv --out deadlines.csv",
  ],
  async run(context, call) {
    const { args, global, options } = call;
    const { asOf = timeToDay(context.now()), within = DEFAULT_DAYS } = options;
    const words = await readIds(context, args.jobs, "pipe ids in: `… | claims diligence deadlines -`");
    const service = await openService(context, call);
    const ids = await Promise.all(words.map((word) => completeId(context, service, "job", word)));
    const submitted = await listSubmittedJobs(context, service);
    const jobs =
      ids.length === 0
        ? submitted
        : ids.map((jobId) => submitted.find((job) => job.jobId === jobId) ?? toUnknownJob(jobId));
    const period = { from: asOf, to: asOf + within };
    // The job that was submitted last decides about an entry, so that it is read first.
    const newestFirst = jobs.toSorted((one, other) => compareText(other.at, one.at));
    const jobsOfEntries = new Map<string, string>();
    const read = (job: Job) =>
      readJobDeadlines(service, job, period, (number) => {
        const { jobId } = job;
        if (!jobsOfEntries.has(number)) jobsOfEntries.set(number, jobId);
        return jobsOfEntries.get(number) === jobId;
      });
    const { results, failures } = await readAll(context, newestFirst, read, ids.length === 0);
    const found = results.flatMap(({ job, groups }) => groups.map((group) => ({ ...job, ...group })));
    found.sort(compareDeadlines);
    warnAboutPassed(context, results);
    noteRepeated(context, results);
    return toListOutput<Deadline>({
      items: global.quiet ? new Map(found.map((each) => [each.jobId, each])).values() : found,
      columns: COLUMNS,
      idOf: ({ jobId }) => jobId,
      emptyMessage: describeNone(jobs.length, within, results),
      failure: () => aggregateErrors(failures, `${jobs.length} jobs`),
    });
  },
});

const COLUMNS: readonly ListColumn<Deadline>[] = [
  { name: "deadline", isWhole: true },
  { name: "daysLeft", title: "left", align: "right", display: ({ daysLeft }) => `${daysLeft} d` },
  { name: "route", display: ({ route }) => route && labelRoute(route) },
  { name: "entries", align: "right" },
  {
    name: "ieepaDutyCents",
    title: "IEEPA duty",
    align: "right",
    isWhole: true,
    display: ({ ieepaDutyCents: cents }) => (cents === null ? null : formatDollars(cents)),
  },
  { name: "file" },
  { name: "jobId", title: "job", isId: true },
  ...hiddenColumns("urgent", "seller"),
];

const toUnknownJob = (jobId: string): SubmittedJob => ({ jobId, file: null, seller: null, at: "" });

type ReadDeadlines = Awaited<ReturnType<typeof readJobDeadlines>>;

/**
 * @param isCounted whether no job that was read before has the entry
 * @returns the deadlines from `from` to `to`, the first one after them, and the numbers of entries whose deadline was
 *   before, and that are not counted
 * @throws ClaimsError `unknown_field` if no entry has a deadline
 */
async function readJobDeadlines(
  service: Service,
  { jobId, file, seller }: Job,
  { from, to }: { readonly from: Day; readonly to: Day },
  isCounted: (entryNumber: string) => boolean,
) {
  const groups = new Map<string, DeadlineGroup>();
  let later: Day | null = null;
  let passedEntries = 0;
  let repeatedEntries = 0;
  let isKnown = false;
  let first: DatasetEntry | undefined;
  for await (const entry of readEntries(service, await openDataset(service, jobId, "ndjson"))) {
    first ??= entry;
    isKnown ||= Object.hasOwn(entry, NEXT_DEADLINE);
    const { entryNumber } = entry;
    if (typeof entryNumber === "string" && !isCounted(entryNumber)) {
      repeatedEntries += 1;
      continue;
    }
    const day = parseDeadline(entry[NEXT_DEADLINE]);
    if (day === null) continue;
    if (day < from) passedEntries += 1;
    else if (day > to) later = Math.min(day, later ?? day);
    else addToGroup(groups, entry, day, from);
  }
  if (first !== undefined && !isKnown) {
    throw usageError("unknown_field", `the dataset has no field ${NEXT_DEADLINE}`, {
      hint: `the fields are ${Object.keys(first).join(", ")}`,
    });
  }
  const job = { jobId, file, seller };
  return { job, groups: [...groups.values()], later, passedEntries, repeatedEntries };
}

function addToGroup(
  groups: Map<string, DeadlineGroup>,
  { route, ieepaDutyCents: duty }: DatasetEntry,
  day: Day,
  today: Day,
): void {
  const deadline = formatDay(day);
  const name = `${deadline} ${route}`;
  const group = groups.get(name) ?? {
    deadline,
    daysLeft: day - today,
    urgent: isUrgent(day, today),
    route: typeof route === "string" ? route : null,
    entries: 0,
    ieepaDutyCents: 0,
  };
  group.entries += 1;
  if (group.ieepaDutyCents !== null)
    group.ieepaDutyCents = typeof duty === "number" ? group.ieepaDutyCents + duty : null;
  groups.set(name, group);
}

/** The field of a dataset row with the deadline of its route (diligence-model §3). */
const NEXT_DEADLINE = "nextDeadline";
const ISO_DATE_LENGTH = "2026-02-20".length;

/** Null for none. A service may send a time instead of a date. */
function parseDeadline(value: unknown): Day | null {
  if (value === null || value === undefined || value === "") return null;
  const day = typeof value === "string" ? parseIsoDay(value.slice(0, ISO_DATE_LENGTH)) : null;
  if (day !== null) return day;
  throw unreachableError(
    "unexpected_response",
    `the dataset has the ${NEXT_DEADLINE} ${JSON.stringify(value)}`,
    { hint: "expected YYYY-MM-DD; print what the service sends with --json or --csv" },
  );
}

/** Why a job has no dataset. */
const WITHOUT_DATASET: readonly ErrorKind[] = ["pending", "unfinished_job", "not_found"];

/** @param isLenient a job without a dataset causes a warning, not a failure */
async function readAll(
  context: Context,
  jobs: readonly Job[],
  read: (job: Job) => Promise<ReadDeadlines>,
  isLenient: boolean,
) {
  const results: ReadDeadlines[] = [];
  const failures: ClaimsError[] = [];
  const progress = startProgress(context.stderr, `reading ${formatCount(jobs.length, "job")}`);
  const readOne = async (job: Job) => {
    const result = await handleFailure(read(job), (error) => {
      if (isLenient && WITHOUT_DATASET.includes(error.kind))
        printMessage(context, `warning: ${job.file}: ${error.message}; its deadlines are not listed`);
      else failures.push(error);
    });
    if (result) results.push(result);
  };
  try {
    for (const [index, job] of jobs.entries()) {
      await readOne(job);
      progress.update(`read ${index + 1} of ${formatCount(jobs.length, "job")}`);
    }
  } finally {
    progress.stop();
  }
  return { results, failures };
}

const compareDeadlines = (one: Deadline, other: Deadline): number =>
  one.daysLeft - other.daysLeft || compareText(one.file, other.file) || compareText(one.route, other.route);

const compareText = (one: string | null, other: string | null): number =>
  (one ?? "") < (other ?? "") ? -1 : Number((one ?? "") > (other ?? ""));

/** The route of an entry depends on the day of its submission. */
function warnAboutPassed(context: Context, results: readonly ReadDeadlines[]): void {
  for (const { job, passedEntries } of results) {
    if (passedEntries === 0) continue;
    const entries = formatCount(passedEntries, "entry has", "entries have");
    const what = job.file ?? `job ${job.jobId}`;
    printMessage(
      context,
      `warning: ${what}: ${entries} a deadline that has passed; submit the file again to learn the present route`,
    );
  }
}

function noteRepeated(context: Context, results: readonly ReadDeadlines[]): void {
  const count = results.reduce((sum, { repeatedEntries }) => sum + repeatedEntries, 0);
  if (count === 0) return;
  const entries = formatCount(count, "entry is", "entries are");
  printMessage(
    context,
    `${entries} left out: a job that was submitted later has ${count === 1 ? "it" : "them"}, too`,
  );
}

function describeNone(jobs: number, days: number, results: readonly ReadDeadlines[]): string {
  if (jobs === 0) return "this machine submitted no job to this service";
  const next = results.flatMap(({ later }) => later ?? []).sort((one, other) => one - other)[0];
  const nothing = `no deadline within ${formatCount(days, "day")}`;
  return next === undefined ? nothing : `${nothing}; the next one is ${formatDay(next)}`;
}
