import { expect, it, onTestFinished } from "vitest";
import { seededRandom } from "../../../../../sandbox/engine/random.ts";
import { createScans } from "../../../../../sandbox/engine/scans/scans.ts";
import { Clock } from "../../../../../sandbox/engine/scheduler/clock.ts";
import { ClockMover } from "../../../../../sandbox/engine/scheduler/clock-mover.ts";
import { Scheduler } from "../../../../../sandbox/engine/scheduler/scheduler.ts";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { openStore } from "../../../../../sandbox/store/open.ts";
import { SCANS } from "../../../../../sandbox/store/scans.ts";
import { PARTNERS } from "../../../../../sandbox/store/schema.ts";
import { GOLDEN_TIME, sandboxForTest } from "../../../../support/sandbox.ts";
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

it("a scan with an unexpected error fails, and only onError gets the error", async () => {
  const store = await openStore();
  onTestFinished(() => store.close());
  PARTNERS.insert(store, { id: 1 });
  // Corrupted data in place of the entries: page 1 of job 1.
  store.run("INSERT INTO entry_page (id, document) VALUES (?, ?)", [2 ** 32 + 2, Buffer.from("no JSON")]);
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const clock = new Clock(Date.now, GOLDEN_TIME);
  const scheduler = new Scheduler(store, clock, onError);
  const core = { store, clock, scheduler, random: seededRandom(1), onError };
  const mover = new ClockMover(core);
  const scans = createScans(core, "real");
  const { id } = scans.request({ partner: 1, environment: "sandbox" }, [1], null);
  await mover.advance("1s");
  expect(SCANS.find(store, { id })?.state).toBe("processing");
  await mover.advance("idle");
  const scan = SCANS.find(store, { id });
  expect(scan).toMatchObject({ state: "failed", result: null, failure: { code: "internal_error" } });
  expect(scan?.failure?.detail).not.toContain("JSON");
  expect(errors).toEqual([expect.any(SyntaxError)]);
});
