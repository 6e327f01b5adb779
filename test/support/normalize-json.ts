import { UNKNOWN_NAMES } from "../../sandbox/engine/grease/unknown-fields.ts";
import { findJobId } from "../../src/client/job-id.ts";
import { jobFields } from "../../src/client/wait.ts";
import { readState } from "../../src/domain/diligence/states.ts";
import { isRecord } from "../../src/domain/json.ts";
import { greaseSeed } from "./varied.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What a document of the service says, under the names that our sandbox usually has for it. */
export const usualJson = (text: string): ReturnType<typeof JSON.parse> =>
  JSON.parse(text, greaseSeed === null ? undefined : (_, value) => (isRecord(value) ? usual(value) : value));

/** Asked of what is within a document first, and of the whole of it last. */
function usual(document: Fields): Fields {
  const known = Object.fromEntries(
    Object.entries(document).filter(([name]) => !UNKNOWN_NAMES.includes(name)),
  );
  const { items, results, next, next_cursor: cursor, ...others } = known;
  const data = items ?? results;
  if (Array.isArray(data)) return { ...others, data, nextCursor: cursor ?? next ?? null };
  const { job, job_id, ...fields } = jobFields(known);
  const isOfJob = ["runCount", "rf8Review", "rows"].some((name) => name in fields);
  if (!isOfJob) return withState(known);
  const { id, ...own } = fields;
  const jobId = own.jobId ?? findJobId(known, undefined);
  return withState({ ...own, ...(jobId !== null && { jobId }) });
}

/** The state of a job or a scan, which is told with when it ended. */
const withState = (record: Fields): Fields =>
  "finishedAt" in record && readState(String(record.state)) === "completed"
    ? { ...record, state: "completed" }
    : record;
