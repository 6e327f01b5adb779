import { expect, it } from "vitest";
import { createItemColumns } from "../../../../../../../src/cli/commands/diligence/batch/item.ts";
import type { BatchRow } from "../../../../../../../src/cli/commands/diligence/batch/row.ts";
import { ProgressLine } from "../../../../../../../src/cli/commands/diligence/batch/run-batch.ts";

const COUNT = 200_000;

it("the progress of a batch counts 200,000 rows one by one", { tags: "large" }, () => {
  let shown = "";
  const line = new ProgressLine(COUNT, 80, (text) => {
    shown = text;
  });
  for (let index = 0; index < COUNT; index += 1)
    line.addDone({ status: index % 2 === 0 ? "partial" : "completed" });
  expect(shown).toBe("200000 of 200000: 100000 completed, 100000 partial");
});

it("the columns of a batch of 200,000 rows leave room for the longest name", { tags: "large" }, () => {
  const rows = Array.from({ length: COUNT }, (_, index) => ({ name: `${index}.csv` }) as BatchRow);
  const [file] = createItemColumns(
    { path: null, displayName: "-", rows, extraColumns: [], passedOver: [] },
    30,
  );
  expect(file).toMatchObject({ name: "file", canWrap: true });
});
