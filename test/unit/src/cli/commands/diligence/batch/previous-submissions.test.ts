import { expect, it } from "vitest";
import { PreviousSubmissions } from "../../../../../../../src/cli/commands/diligence/batch/previous-submissions.ts";
import type { BatchRow } from "../../../../../../../src/cli/commands/diligence/batch/row.ts";
import { findDuplicate } from "../../../../../../../src/cli/write-log/duplicates.ts";
import { toWriteRecords } from "../../../../../../../src/cli/write-log/write-record.ts";
import { createTerminalContext } from "../../../../../../support/terminal.ts";

const COUNT = 100_000;
const AT = "2026-11-20T00:00:00.000Z";

const writeOf = (index: number) => ({
  content: `content${index}`,
  file: `${index}.csv`,
  fileSha256: `hash${index}`,
  seller: "Example",
});

const records = toWriteRecords(
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

it("the earlier submissions of each of 100,000 rows are found in logs of as many submissions", {
  tags: "large",
}, () => {
  const { context } = createTerminalContext();
  const previous = new PreviousSubmissions(context, records, records);
  const found = Array.from({ length: COUNT }, (_, index) => {
    const row = { logName: `${index}.csv`, path: `/entries/${index}.csv` } as Partial<BatchRow> as BatchRow;
    const write = writeOf(index);
    expect(previous.findChanged(row, write.content)).toBeNull();
    return [
      previous.find(row, write.content)?.jobId,
      ...previous.jobIdsOf(row),
      findDuplicate(previous.machineWritesLike(write), write)?.jobId,
    ].join(" ");
  });
  expect(new Set(found).size).toBe(COUNT);
  expect(found.at(-1)).toBe("job99999 job99999 job99999");
});
