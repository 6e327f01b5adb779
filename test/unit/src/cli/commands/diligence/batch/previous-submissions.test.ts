import { expect, it } from "vitest";
import { PreviousSubmissions } from "../../../../../../../src/cli/commands/diligence/batch/open-batch.ts";
import type { BatchRow } from "../../../../../../../src/cli/commands/diligence/batch/row.ts";
import { decideWrite } from "../../../../../../../src/cli/write-log/decide-write.ts";
import { WriteRecords } from "../../../../../../../src/cli/write-log/write-records.ts";
import { createTerminalContext } from "../../../../../../support/terminal.ts";

const COUNT = 100_000;
const AT = "2026-11-20T00:00:00.000Z";

const writeOf = (index: number) => ({
  content: `content${index}`,
  file: `${index}.csv`,
  fileSha256: `hash${index}`,
  seller: "Example",
  operation: "diligence.submit",
});

const machine = new WriteRecords();
machine.add(
  Array.from({ length: COUNT }, (_, index) => {
    const destination = { operation: "diligence.submit", baseUrl: "http://a.test", environment: "sandbox" };
    const sent = { key: `key${index}`, content: `content${index}`, ...destination };
    return [
      {
        ...{ type: "intent" as const, at: AT, ...sent, ...writeOf(index), bytes: 1, pid: 1 },
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
  const previous = new PreviousSubmissions(records, []);
  const found = Array.from({ length: COUNT }, (_, index) => {
    const row = { logName: `${index}.csv`, path: `/entries/${index}.csv` } as Partial<BatchRow> as BatchRow;
    const write = writeOf(index);
    expect(previous.findChanged(row, write.content)).toBeNull();
    const decision = decideWrite(context, machine.listSame(write.content), write, {
      onDuplicate: "fail",
      isResultOfBatch: (record) => previous.isResultOf(row, record),
    });
    const jobId = decision.kind === "use_earlier" ? decision.record.jobId : decision.kind;
    return [jobId, ...previous.jobIdsOf(row)].join(" ");
  });
  expect(new Set(found).size).toBe(COUNT);
  expect(found.at(-1)).toBe("job99999 job99999");
});
