import { checkSubmission } from "../check-submission.ts";
import { describeRow } from "./describe-row.ts";
import { type BatchItem, createInvalidItem, createItem } from "./item.ts";
import { mapConcurrently } from "./map-concurrently.ts";
import type { BatchRow } from "./row.ts";
import { type BatchContext, toUnreadableItem } from "./submit-item.ts";

/** Checks all rows before one is sent. Null if all are valid; otherwise the items of a batch that sends nothing. */
export async function refuseAll(
  batch: BatchContext,
  rows: readonly BatchRow[],
  concurrency: number,
): Promise<ReadonlyMap<BatchRow, BatchItem> | null> {
  const items = new Map<BatchRow, BatchItem>();
  for await (const item of mapConcurrently(rows, concurrency, (row) => checkRow(batch, row)))
    items.set(item.row, item);
  return [...items.values()].some(({ status }) => status === "invalid") ? items : null;
}

async function checkRow(batch: BatchContext, row: BatchRow): Promise<BatchItem> {
  const { context, mapping } = batch;
  if (row.errors.length > 0) return createInvalidItem(row);
  try {
    const { close, submission } = await describeRow(context, row, mapping);
    await checkSubmission(context, submission, batch).finally(close);
    return createItem(row, "not sent");
  } catch (error) {
    return toUnreadableItem(batch, row, error);
  }
}
