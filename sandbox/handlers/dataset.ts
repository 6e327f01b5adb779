import { readDataset } from "../../src/contract/diligence.ts";
import { Assessor } from "../../src/domain/diligence/assess.ts";
import {
  type DatasetRow,
  datasetCsvHeader,
  datasetCsvLine,
  datasetRow,
} from "../../src/domain/diligence/dataset.ts";
import { readEntries } from "../store/entries.ts";
import type { JobRow } from "../store/jobs.ts";
import type { Store } from "../store/open.ts";

/** The first one is what a caller without a preference gets. */
export const DATASET_TYPES = ["application/json", ...readDataset.answer.alsoAs] as const;

const PAGE_ROWS = 500;

/** The dataset in pieces of a page each; the next page is read when the last one has been sent. */
export async function* writeDataset(
  store: Store,
  job: JobRow,
  contractVersion: string,
  type: string,
): AsyncGenerator<string> {
  const pages = readPages(store, job);
  if (type === "text/csv") {
    yield datasetCsvHeader();
    for (const rows of pages) yield rows.map(datasetCsvLine).join("");
  } else if (type === "application/x-ndjson") {
    for (const rows of pages) yield rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  } else {
    let lead = `${JSON.stringify({ jobId: job.id, contractVersion }).slice(0, -1)},"rows":[`;
    for (const rows of pages) {
      yield lead + JSON.stringify(rows).slice(1, -1);
      lead = ",";
    }
    yield lead === "," ? "]}" : `${lead}]}`;
  }
}

/** Entries never change once a job has ended, so pages read at different times fit together. */
function* readPages(store: Store, job: JobRow): Generator<DatasetRow[]> {
  const includeDeferred = job.state === "completed";
  const assessor = new Assessor(job.asOf);
  for (let afterLine = 0; ; ) {
    const entries = readEntries(store, { job: job.seq, afterLine, includeDeferred, limit: PAGE_ROWS });
    const last = entries.at(-1);
    if (!last) return;
    afterLine = last.line;
    yield entries.map((entry) => datasetRow(assessor.assess(entry)));
  }
}
