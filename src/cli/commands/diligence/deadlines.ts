import type { Static } from "typebox";
import { isUrgent } from "../../../domain/diligence/entry-classifier.ts";
import { categorizeState } from "../../../domain/diligence/states.ts";
import { type Day, formatDay, parseIsoDay, timeToDay } from "../../../domain/entries/dates.ts";
import type { ErrorKind } from "../../../domain/error-codes.ts";
import { type ClaimsError, unreachableError } from "../../../domain/errors.ts";
import { labelRoute } from "../../../domain/labels.ts";
import { formatCount } from "../../../domain/numbers.ts";
import type { Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import type { DILIGENCE_DOCUMENTS } from "../../documents/diligence.ts";
import { aggregateErrors } from "../../framework/aggregate-errors.ts";
import { command } from "../../framework/command.ts";
import { handleFailure } from "../../framework/handle-failure.ts";
import { parseDay, parseDays } from "../../framework/values.ts";
import { hiddenColumns, type ListColumn, toListOutput } from "../../output/output.ts";
import { startProgress } from "../../output/progress.ts";
import { createMoneyColumn } from "../../output/record-card.ts";
import { quoteId } from "../../output/shell-quote.ts";
import { printMessage } from "../../output/stderr.ts";
import { listSubmittedJobs } from "../../write-log/job-log.ts";
import { type DatasetEntry, openDataset, readEntries } from "./dataset/dataset.ts";
import { openGivenJobs } from "./job.ts";
import { jobArguments } from "./options.ts";

const DEFAULT_DAYS = 14;

type Deadline = Static<(typeof DILIGENCE_DOCUMENTS)["Deadlines"]>[number];

/** File and seller are null, and the time of the submission is "", for a job that this machine did not submit. */
interface Job extends Pick<Deadline, "jobId" | "file" | "seller"> {
  readonly at: string;
  /** As last seen. */
  readonly state?: string | null;
}

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
    const hint = "pipe ids in: `… | claims diligence deadlines -`";
    const { service, ids } = await openGivenJobs(context, call, args.jobs, hint);
    const submitted = await listSubmittedJobs(context, service);
    const jobs: readonly Job[] =
      ids.length === 0
        ? submitted
        : ids.map(
            (jobId) =>
              submitted.find((job) => job.jobId === jobId) ?? { jobId, file: null, seller: null, at: "" },
          );
    const period = { from: asOf, to: asOf + within };
    const { found, failures, later, repeated, unknown } = await readAll(
      context,
      service,
      jobs,
      period,
      ids.length === 0,
    );
    // cron mails what is printed.
    if (repeated > 0 && (global.verbose || context.stderr.isTerminal)) printRepeated(context, repeated);
    const nothing = `no ${unknown > 0 ? "known " : ""}deadline within ${formatCount(within, "day")}`;
    return toListOutput<Deadline>({
      items: global.quiet ? new Map(found.map((each) => [each.jobId, each])).values() : found,
      columns: COLUMNS,
      idOf: ({ jobId }) => jobId,
      emptyMessage:
        jobs.length === 0
          ? "this machine submitted no job to this service"
          : `${nothing}${later === null ? "" : `; the next one is ${formatDay(later)}`}`,
      failure: () => aggregateErrors(failures, `${jobs.length} reads`),
    });
  },
});

const COLUMNS: readonly ListColumn<Deadline>[] = [
  { name: "deadline", isWhole: true },
  { name: "daysLeft", title: "left", align: "right", display: ({ daysLeft }) => `${daysLeft} d` },
  { name: "route", display: ({ route }) => route && labelRoute(route) },
  { name: "entries", align: "right" },
  createMoneyColumn("ieepaDutyCents", "IEEPA duty"),
  { name: "file" },
  { name: "jobId", title: "job", isId: true },
  ...hiddenColumns("urgent", "seller"),
];

interface Period {
  readonly from: Day;
  readonly to: Day;
}

/**
 * @param isCounted whether no job that was read before has the entry
 * @returns the deadlines of the period, the first one after it, the numbers of entries whose deadline was before, and that are
 *   not counted, and the fields of an entry if none has a deadline: its name is assumed
 */
async function readJobDeadlines(
  service: Service,
  job: Job,
  { from, to }: Period,
  isCounted: (entryNumber: string) => boolean,
) {
  const groups = new Map<string, Deadline>();
  let later: Day | null = null;
  let passedEntries = 0;
  let repeatedEntries = 0;
  let isKnown = false;
  let first: DatasetEntry | undefined;
  for await (const entry of readEntries(service, await openDataset(service, job.jobId, "ndjson"))) {
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
    else addToGroup(groups, job, entry, day, from);
  }
  const otherFields = isKnown || first === undefined ? null : Object.keys(first);
  return { deadlines: [...groups.values()], later, passedEntries, repeatedEntries, otherFields };
}

/** The entries of a job with one deadline and one route are a group. */
function addToGroup(
  groups: Map<string, Deadline>,
  { jobId, file, seller }: Job,
  { route, ieepaDutyCents: duty }: DatasetEntry,
  day: Day,
  today: Day,
): void {
  const deadline = formatDay(day);
  const name = `${deadline} ${route}`;
  const group = groups.get(name) ?? {
    ...{ jobId, file, seller, deadline },
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

/**
 * Reads the deadlines of all jobs.
 *
 * @param isLenient a job without a dataset causes a warning, not a failure
 * @returns `repeated`: how many entries are left out, because a job that was submitted later has them; `unknown`: how many jobs
 *   have entries without deadlines
 * @throws ClaimsError for a credential that is refused: no other job can be read
 */
async function readAll(
  context: Context,
  service: Service,
  jobs: readonly Job[],
  period: Period,
  isLenient: boolean,
) {
  const found: Deadline[] = [];
  const failures: ClaimsError[] = [];
  const jobsOfEntries = new Map<string, string>();
  let later: Day | null = null;
  let repeated = 0;
  let unknown = 0;
  const progress = startProgress(context.stderr, `reading ${formatCount(jobs.length, "job")}`);
  const readOne = async (job: Job) => {
    const { jobId, file, state } = job;
    const isCounted = (entryNumber: string) => {
      if (!jobsOfEntries.has(entryNumber)) jobsOfEntries.set(entryNumber, jobId);
      return jobsOfEntries.get(entryNumber) === jobId;
    };
    const read = await handleFailure(readJobDeadlines(service, job, period, isCounted), (error) => {
      if (isLenient && WITHOUT_DATASET.includes(error.kind))
        printMessage(context, `warning: ${file}: ${error.message}; its deadlines are not listed`);
      else if (error.kind === "credential") throw error;
      else failures.push(error);
    });
    if (!read) return;
    found.push(...read.deadlines);
    later = read.later === null ? later : Math.min(read.later, later ?? read.later);
    repeated += read.repeatedEntries;
    const name = file ?? `job ${jobId}`;
    if (categorizeState(state ?? "") === "partial") warnAboutDeferred(context, name, jobId);
    if (read.passedEntries > 0) warnAboutPassed(context, name, read.passedEntries);
    if (read.otherFields === null) return;
    unknown += 1;
    const fields = `no field ${NEXT_DEADLINE}, but ${read.otherFields.join(", ")}`;
    printMessage(context, `warning: ${name}: its deadlines are unknown: the dataset has ${fields}`);
  };
  try {
    // The job that was submitted last decides about an entry, so that it is read first.
    for (const [index, job] of jobs.toSorted((one, other) => compareText(other.at, one.at)).entries()) {
      await readOne(job);
      progress.update(`read ${index + 1} of ${formatCount(jobs.length, "job")}`);
    }
  } finally {
    progress.stop();
  }
  return { found: found.sort(compareDeadlines), failures, later, repeated, unknown };
}

function printRepeated(context: Context, count: number): void {
  const entries = formatCount(count, "entry is", "entries are");
  const them = count === 1 ? "it" : "them";
  printMessage(context, `${entries} left out: a job that was submitted later has ${them}, too`);
}

const compareDeadlines = (one: Deadline, other: Deadline): number =>
  one.daysLeft - other.daysLeft || compareText(one.file, other.file) || compareText(one.route, other.route);

const compareText = (one: string | null, other: string | null): number =>
  (one ?? "") < (other ?? "") ? -1 : Number((one ?? "") > (other ?? ""));

/** The dataset of a partial job lacks its deferred entries. */
const warnAboutDeferred = (context: Context, what: string, jobId: string): void =>
  printMessage(
    context,
    `warning: ${what}: its job was partial, so that deadlines of deferred entries are missing; \`claims diligence resume ${quoteId(jobId)}\``,
  );

/** The route of an entry depends on the day of its submission. */
function warnAboutPassed(context: Context, what: string, count: number): void {
  const entries = formatCount(count, "entry has", "entries have");
  const advice = "submit the file again to learn the present route";
  printMessage(context, `warning: ${what}: ${entries} a deadline that has passed; ${advice}`);
}
