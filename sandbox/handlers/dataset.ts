import { datasetOperation } from "../../src/contract/diligence.ts";
import {
  type DatasetRow,
  formatDatasetCsvHeader,
  formatDatasetCsvRecord,
  toDatasetRow,
} from "../../src/domain/diligence/dataset.ts";
import { createClassifier } from "../../src/domain/diligence/entry-classifier.ts";
import { rejectedError } from "../../src/domain/errors.ts";
import type { Engine } from "../engine/engine.ts";
import { readEntryPages } from "../store/entry-pages.ts";
import type { JobRow } from "../store/jobs.ts";

/** The first type is the default. */
export const DATASET_TYPES = ["application/json", ...datasetOperation.response.alternativeTypes] as const;

export function* renderDatasetCsv(
  pages: Iterable<readonly DatasetRow[]>,
  delimiter: string | undefined,
): Generator<string> {
  yield formatDatasetCsvHeader(delimiter);
  for (const rows of pages) yield rows.map((row) => formatDatasetCsvRecord(row, delimiter)).join("");
}

/** Reads the dataset page by page. @throws ClaimsError `sandbox_closed` if a reset removed entries: it looks complete */
export function* readDatasetPages({ clockMover, store }: Engine, job: JobRow): Generator<DatasetRow[]> {
  const { epoch } = clockMover;
  const includeDeferred = job.state === "completed";
  const classify = createClassifier(job.asOf);
  for (const entries of readEntryPages(store, job.seq, { includeDeferred })) {
    if (clockMover.epoch !== epoch) break;
    if (entries.length > 0) yield entries.map((entry) => toDatasetRow(classify(entry)));
  }
  if (clockMover.epoch === epoch) return;
  throw rejectedError("sandbox_closed", "the sandbox was reset while it sent a dataset", {
    hint: "submit the file again",
  });
}
