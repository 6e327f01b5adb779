import { groupBy } from "../../../domain/group-by.ts";
import { isRecord } from "../../../domain/json.ts";
import { OPERATIONS } from "../../operations/operations.ts";
import { findContractResponse } from "../contract-records.ts";
import { formatPlace, overlaps, type Place, parsePlace, valueAtPlace } from "../places.ts";
import type { DerivedFields, OpenPoint, Row } from "../service-form.ts";
import { ACCEPTED_JOB, type LearnedOperation } from "./learn-operation.ts";
import { type JobHistory, learnState } from "./learn-states.ts";
import { lastSegment, type Sample } from "./samples.ts";
import { findValueForm } from "./value-forms.ts";

const { report, status } = OPERATIONS.diligence;
const JOB_RECORD = findContractResponse(status).record;

/** The records that have the state of a job. */
export const JOB_RECORDS: ReadonlySet<string> = new Set(["Job", ACCEPTED_JOB]);

interface Learning {
  /** The operations that respond with a job. */
  readonly group: readonly LearnedOperation[];
  readonly samples: readonly Sample[];
  readonly records: Map<string, Readonly<Record<string, Row>>>;
  /** Of each record: the places of the fields that were found. */
  readonly explained: Map<string, Place[]>;
  readonly open: OpenPoint[];
}

/** Adds what the polls of jobs show: the state, the end, and the fields that the state decides, which are returned. */
export function addState({ group, samples, records, explained, open }: Learning): DerivedFields {
  const polled = group.find(({ operation }) => operation.id === status.id);
  if (!polled) return {};
  const histories = listHistories(polled, samples);
  const named = histories.some((job) =>
    job.records.some((record) => isRecord(record) && typeof record.state === "string"),
  );
  const learned = learnState(histories, named ? ["state"] : undefined);
  const kept = open.filter(({ subject }) => subject !== "Job.state");
  const rows: Record<string, Row> = {};
  for (const [path, row] of Object.entries(records.get("Job") ?? {})) {
    if (path === "state") continue;
    const at = typeof row === "string" ? row : row?.at;
    const holds = JOB_RECORD.fields.get(path)?.shape === "record" && at !== formatPlace(learned.place ?? []);
    if (!learned.place || !at || holds || !overlaps(parsePlace(at), learned.place)) rows[path] = row;
    else kept.push({ subject: `Job.${path}`, seen: at, reason: "the state is there" });
  }
  const taken = [...(explained.get("Job") ?? []), ...(learned.place ? [learned.place] : [])];
  const isFree = (place: Place) => !taken.some((each) => overlaps(each, place));
  const { finished } = learned;
  if (finished && isFree(finished) && isFree(["finishedAt"])) {
    const times = histories.map((job) => valueAtPlace(job.records.at(-1), finished));
    const as = findValueForm("time", times);
    rows.finishedAt = { at: formatPlace(finished), ...(as && { as }) };
    taken.push(finished);
  }
  const isLeft = ({ subject }: OpenPoint) => subject !== "Job.finishedAt" || !rows.finishedAt;
  open.splice(0, open.length, ...kept.filter(isLeft), ...learned.open);
  records.set("Job", learned.row === undefined ? rows : { ...rows, state: learned.row });
  const derived = Object.entries(learned.derived ?? {}).filter(([place]) => isFree(parsePlace(place)));
  explained.set("Job", [...taken, ...derived.map(([place]) => parsePlace(place))]);
  const accepted = group.find(({ form }) => form.record === ACCEPTED_JOB);
  if (accepted) {
    const own = accepted.form.isEmpty ? {} : records.get("Job");
    records.set(ACCEPTED_JOB, { ...own, jobId: { header: "Location", as: "last-segment" } });
  }
  return Object.fromEntries(derived);
}

/** The histories of the jobs that were polled: the records in the order of the polls. */
function listHistories(polled: LearnedOperation, samples: readonly Sample[]): JobHistory[] {
  const reported = new Set(
    samples.filter((each) => each.operation.id === report.id && each.status < 300).map(lastSegment),
  );
  return [...groupBy(polled.samples, lastSegment)].map(([id, polls]) => {
    const own = polls.map(({ document }) => valueAtPlace(document, polled.at));
    return { records: own, hasReport: reported.has(id) };
  });
}
