import { expect, it } from "vitest";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import {
  call,
  ordinaryEntryNumber,
  post,
  problemOf,
  submitAndSettle,
} from "../../../../support/sandbox-requests.ts";

const PATH = "/v1/portfolio-scans";

/** Creates a file of 500 entries with the maximum amount each. */
const createMaximalFile = (first: number): string =>
  [
    "entry_number,entry_type_code,importer_number,entry_date,country_of_origin_code,entered_value,ieepa_duty_paid,liquidation_status",
    ...Array.from(
      { length: 500 },
      (_, n) =>
        `${ordinaryEntryNumber(first + n)},01,12-3456789,2025-06-01,CN,99999999999.99,99999999999.99,NOT_LIQUIDATED`,
    ),
    "",
  ].join("\n");

const runScan = async (sandbox: Sandbox, body: object) =>
  (await call(sandbox, `${PATH}/${(await post(sandbox, PATH, body)).body.id}`)).body;

it("a scan whose totals exceed the safe integers fails with a hint", async () => {
  const sandbox = await sandboxForTest();
  const one = await submitAndSettle(sandbox, { file: createMaximalFile(1) });
  await submitAndSettle(sandbox, { file: createMaximalFile(501) });
  const failed = await runScan(sandbox, { mode: "full" });
  expect(failed).toMatchObject({
    ...{ state: "failed", entryCount: null, changes: null, finishedAt: failed.startedAt },
    failure: { code: "AMOUNT_OVERFLOW", detail: expect.stringContaining("Scan fewer jobs") },
  });
  const summary = await call(sandbox, `${PATH}/${failed.id}/summary`);
  expect(problemOf(summary)).toEqual({ status: 409, code: "scan_failed", at: [] });
  expect(summary.headers.get("retry-after")).toBeNull();
  const delta = await post(sandbox, PATH, { mode: "delta", baselineScanId: failed.id });
  expect(problemOf(delta)).toEqual({ status: 409, code: "scan_failed", at: ["/baselineScanId"] });
  expect(await runScan(sandbox, { mode: "full", jobIds: [one] })).toMatchObject({
    ...{ state: "completed", failure: null, entryCount: 500 },
  });
});
