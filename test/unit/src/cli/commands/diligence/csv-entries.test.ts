import { expect, it } from "vitest";
import { renderCsvOfEntries } from "../../../../../../src/cli/commands/diligence/dataset/csv-entries.ts";

it("writes a column for each field of any entry, also for a name with a dot", async () => {
  async function* entries() {
    yield { entryNumber: "1", "duty.paid": 5, deadlines: { protest: "2026-02-20" } };
    yield { entryNumber: "2", grade: "A" };
  }
  let csv = "";
  for await (const line of renderCsvOfEntries(entries())) csv += line;
  expect(csv).toBe("entryNumber,duty.paid,deadlines.protest,grade\r\n1,5,2026-02-20,\r\n2,,,A\r\n");
});
