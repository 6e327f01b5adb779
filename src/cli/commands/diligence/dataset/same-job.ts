import { readJobId } from "../../../../client/wait.ts";
import type { Mapping } from "../../../../contract/mapping/mapping.ts";
import { toPath, valueAtPath } from "../../../../contract/mapping/path.ts";
import { walkByLevel } from "../../../../domain/json.ts";
import { JsonOutline } from "../../../../domain/json-outline.ts";

/**
 * Passes the bytes of a dataset on, which must be of one job (interface §9.3). It holds them back until a list begins: what names
 * the job usually stands before the rows. Of NDJSON, the first line may name it.
 *
 * @param requireJob gets the document so far, with all lists empty, and returns whether it names a job; throws if it names another
 */
export async function* passDatasetOf(
  body: AsyncIterable<Uint8Array>,
  requireJob: (document: unknown) => boolean,
): AsyncGenerator<Uint8Array> {
  const outline = new JsonOutline();
  let held: Uint8Array[] = [];
  let isStartChecked = false;
  let isNamed = false;
  for await (const bytes of body) {
    if (!isNamed) outline.push(bytes);
    held.push(bytes);
    if (!isStartChecked && outline.hasStart) {
      isStartChecked = true;
      isNamed = requireJob(outline.readStart());
    }
    if (!isStartChecked) continue;
    yield* held;
    held = [];
  }
  if (!isNamed) requireJob(outline.readStart());
  yield* held;
}

/** The job that a dataset names outside of its rows, in the shallowest object that names one; null if none does. */
export function findJobOfDataset(document: unknown, mapping: Mapping | undefined): string | null {
  const line = mapping?.["dataset.jobId"];
  if (typeof line === "string") return readJobId({ jobId: valueAtPath(document, toPath(line)) });
  for (const fields of walkByLevel(document)) {
    const id = readJobId(fields);
    if (id !== null) return id;
  }
  return null;
}
