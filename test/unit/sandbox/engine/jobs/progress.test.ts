import { expect, test } from "vitest";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import {
  entriesCsv,
  ordinaryEntryNumber,
  readJob,
  resume,
  scriptedEntryNumber,
  submitAndSettle,
} from "../../../../support/sandbox-requests.ts";

const readStatus = async (sandbox: Sandbox, id: string) => (await readJob(sandbox, "status", id)).body;

test("a job fails with the first problem of its file, a scripted row or a file error", async () => {
  const sandbox = await sandboxForTest();
  const ragged = "ZZ9,1\n";
  const always = await submitAndSettle(sandbox, {
    file: entriesCsv([ordinaryEntryNumber(1), scriptedEntryNumber("3")]) + ragged,
  });
  for (const runCount of [1, 2]) {
    expect(await readStatus(sandbox, always)).toMatchObject({
      runCount,
      failure: { code: "scenario_failure", line: 3 },
      progress: { entriesAccepted: 1 },
    });
    await resume(sandbox, always);
  }
  const once = await submitAndSettle(sandbox, {
    file: entriesCsv([ordinaryEntryNumber(1), scriptedEntryNumber("2")]) + ragged,
  });
  expect(await readStatus(sandbox, once)).toMatchObject({ failure: { code: "scenario_failure", line: 3 } });
  await resume(sandbox, once);
  expect(await readStatus(sandbox, once)).toMatchObject({ failure: { code: "ROW_WIDTH", line: 4 } });
});
