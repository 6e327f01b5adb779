import { type Job, job as schema } from "../../../src/contract/diligence.ts";
import { formatDay } from "../../../src/domain/entries/dates.ts";
import type { JobRow } from "../../store/jobs.ts";
import { toRecord } from "../to-record.ts";

export const toJob = (job: JobRow): Job =>
  toRecord(schema, { ...job, jobId: job.id, asOf: formatDay(job.asOf) });
