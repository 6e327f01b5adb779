import { datasetOperation } from "../../src/contract/diligence.ts";
import {
  type DatasetRow,
  formatDatasetCsvHeader,
  formatDatasetCsvRecord,
  toDatasetRow,
} from "../../src/domain/diligence/dataset.ts";
import { EntryClassifier } from "../../src/domain/diligence/entry-classifier.ts";
import { ClaimsError } from "../../src/domain/errors.ts";
import type { Engine } from "../engine/engine.ts";
import { readEntryPages } from "../store/entry-pages.ts";
import type { JobRow } from "../store/jobs.ts";

/** The first one is what a caller without a preference gets. */
export const DATASET_TYPES = ["application/json", ...datasetOperation.response.alsoAs] as const;

/** The dataset as CSV, a page at a time. */
export function* renderDatasetCsv(pages: Iterable<readonly DatasetRow[]>): Generator<string> {
  yield formatDatasetCsvHeader();
  for (const rows of pages) yield rows.map(formatDatasetCsvRecord).join("");
}

/**
 * The dataset page by page; the next one is read when the last one has been sent. Entries never change once a job has
 * ended, so pages read at different times fit together.
 *
 * @throws ClaimsError `sandbox_reset` where they are gone: what has been sent must not look as if it were all
 */
export function* readDatasetPages({ clockMover, store }: Engine, job: JobRow): Generator<DatasetRow[]> {
  const { epoch } = clockMover;
  const includeDeferred = job.state === "completed";
  const assessor = new EntryClassifier(job.asOf);
  for (const entries of readEntryPages(store, job.seq, { includeDeferred })) {
    if (clockMover.epoch !== epoch) break;
    if (entries.length > 0) yield entries.map((entry) => toDatasetRow(assessor.classify(entry)));
  }
  if (clockMover.epoch !== epoch) throw sandboxReset();
}

const sandboxReset = () =>
  new ClaimsError("rejected", "sandbox_reset", "the sandbox was reset while it sent a dataset", {
    hint: "submit the file again",
  });
