import { expect, it } from "vitest";
import { PreviousSubmissions } from "../../../../../../../src/cli/commands/diligence/batch/open-batch.ts";
import type { BatchRow } from "../../../../../../../src/cli/commands/diligence/batch/row.ts";
import { applyOnDuplicate } from "../../../../../../../src/cli/write-log/duplicates.ts";
import { WriteRecords } from "../../../../../../../src/cli/write-log/write-record.ts";
import { createTerminalContext } from "../../../../../../support/terminal.ts";

const COUNT = 100_000;
const AT = "2026-11-20T00:00:00.000Z";

const writeOf = (index: number) => ({
  content: `content${index}`,
  file: `${index}.csv`,
  fileSha256: `hash${index}`,
  seller: "Example",
});

const machine = new WriteRecords();
machine.add(
  Array.from({ length: COUNT }, (_, index) => {
    const sent = { key: `key${index}`, content: `content${index}`, pid: 1 };
    return [
      {
        ...{ type: "intent" as const, at: AT, ...sent, ...writeOf(index), bytes: 1 },
        ...{ operation: "diligence.submit", baseUrl: "http://a.test", environment: "sandbox" },
      },
      { type: "accepted" as const, at: AT, ...sent, jobId: `job${index}`, status: 202 },
    ];
  }).flat(),
);
const records = machine.list();

it("the earlier submissions of each of 100,000 rows are found in logs of as many submissions", {
  tags: "large",
}, () => {
  const { context } = createTerminalContext();
  const previous = new PreviousSubmissions(context, records);
  const found = Array.from({ length: COUNT }, (_, index) => {
    const row = { logName: `${index}.csv`, path: `/entries/${index}.csv` } as Partial<BatchRow> as BatchRow;
    const write = writeOf(index);
    expect(previous.findChanged(row, write.content)).toBeNull();
    return [
      previous.find(row, write.content, machine.listSimilar(write))?.jobId,
      ...previous.jobIdsOf(row),
      JSON.stringify(applyOnDuplicate(context, "skip", machine.listSimilar(write), write)).match(
        /job\d+/,
      )?.[0],
    ].join(" ");
  });
  expect(new Set(found).size).toBe(COUNT);
  expect(found.at(-1)).toBe("job99999 job99999 job99999");
});
