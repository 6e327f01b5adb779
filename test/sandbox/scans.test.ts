import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import type { Scan, ScanSummary } from "../../src/contract/operations/scans.ts";
import { fixture } from "../support/cli.ts";
import { sandboxForTest } from "../support/sandbox.ts";
import {
  call,
  entriesCsv,
  listOtherCredentials,
  ordinaryEntryNumber,
  post,
  problemOf,
  readJob,
  scriptedEntryNumber,
  submitAndSettle,
} from "../support/sandbox-requests.ts";

const PATH = "/v1/portfolio-scans";

/** A row: the serial of its entry number, the duty in dollars, and the day of liquidation if there is one. */
type Row = readonly [serial: number, duty: number, liquidated?: string];

/** Creates a file with these entries. */
const createFile = (...rows: readonly Row[]): string =>
  [
    "entry_number,entry_type_code,importer_number,entry_date,country_of_origin_code,entered_value,ieepa_duty_paid,liquidation_status,liquidation_date",
    ...rows.map(
      ([serial, duty, liquidated = ""]) =>
        `${ordinaryEntryNumber(serial)},01,12-3456789,2025-06-01,CN,1000.00,${duty}.00,${liquidated ? "LIQUIDATED" : "NOT_LIQUIDATED"},${liquidated}`,
    ),
    "",
  ].join("\n");

/** Rows with these serials, and one duty. */
const rowsOf = (from: number, to: number, duty: number) =>
  Array.from({ length: to - from }, (_, n): Row => [from + n, duty]);

async function runScan(sandbox: Sandbox, body: object): Promise<Scan> {
  const requested = await post(sandbox, PATH, body);
  if (requested.status !== 202) throw new Error(requested.text);
  return (await call(sandbox, `${PATH}/${requested.body.id}`)).body as unknown as Scan;
}

const summaryOf = async (sandbox: Sandbox, { id }: Scan) =>
  (await call(sandbox, `${PATH}/${id}/summary`)).body as unknown as ScanSummary;

const numbersOf = ({ changes }: Scan) =>
  Object.fromEntries(
    (["added", "removed", "changed", "aged"] as const).map((kind) => [
      kind,
      changes?.[kind].map(({ entryNumber }) => entryNumber),
    ]),
  );

describe("a full scan", () => {
  it("has the totals of the job's report if there is one job", async () => {
    const sandbox = await sandboxForTest();
    const job = await submitAndSettle(sandbox, { file: readFileSync(fixture("sample_es003.csv"), "utf8") });
    const report = (await readJob(sandbox, "report", job)).body as Record<string, Record<string, unknown>>;
    const scan = await runScan(sandbox, { mode: "full" });
    expect(scan).toMatchObject({
      ...{ mode: "full", state: "completed", environment: "sandbox", baselineScanId: null },
      ...{ asOf: "2026-11-20", jobCount: 1, entryCount: report.totals?.entriesAccepted, changes: null },
    });
    const summary = await summaryOf(sandbox, scan);
    const { entriesAccepted, enteredValueCents, ieepaDutyCents, interestCents, estimatedClaimCents } =
      report.totals ?? {};
    expect(summary).toMatchObject({
      ...{ scanId: scan.id, currency: "USD", byGrade: report.byGrade, changes: null },
      totals: {
        ...{ entries: entriesAccepted, enteredValueCents },
        ...{ ieepaDutyCents, interestCents, estimatedClaimCents },
      },
    });
    expect(summary.nearestDeadline).toBe(report.rf8Review?.nearestDeadline);
    expect(summary.urgentEntryCount).toBe(report.rf8Review?.urgentEntryCount);
  });

  it("counts an entry of several jobs once, from the latest job, and ignores jobs that are not completed", async () => {
    const sandbox = await sandboxForTest();
    const first = await submitAndSettle(sandbox, { file: createFile([1, 100], [2, 100]) });
    await submitAndSettle(sandbox, { file: createFile([2, 250], [3, 100]) });
    await submitAndSettle(sandbox, { file: entriesCsv([ordinaryEntryNumber(4), scriptedEntryNumber("1")]) });
    const all = await runScan(sandbox, { mode: "full" });
    expect(all).toMatchObject({ jobCount: 2, entryCount: 3 });
    expect((await summaryOf(sandbox, all)).totals.ieepaDutyCents).toBe(45_000);
    const one = await runScan(sandbox, { mode: "full", jobIds: [first, first] });
    expect(one).toMatchObject({ jobCount: 1, entryCount: 2 });
  });

  it("is empty without jobs", async () => {
    const sandbox = await sandboxForTest();
    const scan = await runScan(sandbox, { mode: "full" });
    expect(scan).toMatchObject({ jobCount: 0, entryCount: 0 });
    expect((await summaryOf(sandbox, scan)).totals.estimatedClaimCents).toBe(0);
  });
});

it("a delta scan lists added, removed, changed and aged entries", async () => {
  const sandbox = await sandboxForTest();
  // The CAPE deadline of the entry liquidated on 2026-09-05 is in four days, the protest deadline of the one of 2026-05-30 in a week.
  const rows: Row[] = [
    [1, 100],
    [2, 100, "2026-09-05"],
    [3, 100],
    [4, 100, "2026-05-30"],
    [5, 100],
  ];
  const old = await submitAndSettle(sandbox, { file: createFile(...rows) });
  const removedJob = await submitAndSettle(sandbox, { file: createFile([6, 100]) });
  const baseline = await runScan(sandbox, { mode: "full" });
  await sandbox.clock.advance("10d");
  const later = await submitAndSettle(sandbox, { file: createFile([3, 175], [7, 100]) });
  const delta = await runScan(sandbox, {
    ...{ mode: "delta", baselineScanId: baseline.id, jobIds: [old, later] },
  });
  expect(delta).toMatchObject({ mode: "delta", baselineScanId: baseline.id, asOf: "2026-11-30" });
  expect(numbersOf(delta)).toEqual({
    added: [ordinaryEntryNumber(7)],
    removed: [ordinaryEntryNumber(6)],
    changed: [ordinaryEntryNumber(3)],
    aged: [ordinaryEntryNumber(2), ordinaryEntryNumber(4)],
  });
  const { added, removed, changed, aged, truncated } = delta.changes ?? {};
  expect(truncated).toBe(false);
  expect(added).toMatchObject([{ before: null, after: { grade: "A", ieepaDutyCents: 10_000 } }]);
  expect(removed).toMatchObject([{ after: null, before: { classification: "unliquidated" } }]);
  expect(changed).toMatchObject([
    {
      changedFields: ["ieepaDutyCents"],
      before: { ieepaDutyCents: 10_000 },
      after: { ieepaDutyCents: 17_500 },
    },
  ]);
  expect(aged).toMatchObject([
    {
      changedFields: [],
      before: { classification: "liquidated_within_80_days", grade: "A", nextDeadline: "2026-11-24" },
      after: { classification: "liquidated_81_to_90_days", grade: "B" },
    },
    {
      before: { classification: "liquidated_within_protest_window", nextDeadline: "2026-11-26" },
      after: { classification: "finally_liquidated", grade: "C", nextDeadline: null },
    },
  ]);
  expect((await summaryOf(sandbox, delta)).changes).toEqual({
    ...{ added: 1, removed: 1, changed: 1, aged: 2, unchanged: 2 },
  });
  expect(removedJob).not.toBe(old);
});

it("a delta scan lists the first thousand removed or changed entries with their former state", async () => {
  const sandbox = await sandboxForTest();
  const old = await submitAndSettle(sandbox, { file: createFile(...rowsOf(0, 2_200, 1)) });
  // The later file has the reverse order.
  const later = await submitAndSettle(sandbox, { file: createFile(...rowsOf(1_100, 2_200, 2).reverse()) });
  const baseline = await runScan(sandbox, { mode: "full", jobIds: [old] });
  const delta = await runScan(sandbox, { mode: "delta", baselineScanId: baseline.id, jobIds: [later] });
  const { removed = [], changed = [], truncated } = delta.changes ?? {};
  expect([removed.length, changed.length, truncated]).toEqual([1_000, 1_000, true]);
  expect([removed[0]?.entryNumber, removed[999]?.entryNumber]).toEqual([
    ordinaryEntryNumber(0),
    ordinaryEntryNumber(999),
  ]);
  expect([changed[0]?.entryNumber, changed[999]?.entryNumber]).toEqual([
    ordinaryEntryNumber(2_199),
    ordinaryEntryNumber(1_200),
  ]);
  for (const { before, after } of changed)
    expect([before?.ieepaDutyCents, after?.ieepaDutyCents]).toEqual([100, 200]);
  for (const { before } of removed) expect(before?.ieepaDutyCents).toBe(100);
  expect((await summaryOf(sandbox, delta)).changes).toEqual({
    ...{ added: 0, removed: 1_100, changed: 1_100, aged: 0, unchanged: 0 },
  });
});

it("a scan with jobSpeed real is queued, then processing, then completed, and has a summary only then", async () => {
  const sandbox = await sandboxForTest({ jobSpeed: "real" });
  const requested = await post(sandbox, PATH, { mode: "full" });
  const at = `${PATH}/${requested.body.id}`;
  expect([requested.headers.get("location"), requested.headers.get("retry-after")]).toEqual([at, "1"]);
  const state = async () => (await call(sandbox, at)).body.state;
  expect(requested.body.state).toBe("queued");
  expect(problemOf(await call(sandbox, `${at}/summary`))).toMatchObject({
    ...{ status: 409, code: "scan_not_ready" },
  });
  await sandbox.clock.advance("1s");
  expect(await state()).toBe("processing");
  const early = await post(sandbox, PATH, { mode: "delta", baselineScanId: requested.body.id });
  expect(problemOf(early)).toEqual({ status: 409, code: "scan_not_ready", at: ["/baselineScanId"] });
  await sandbox.clock.advance("3s");
  expect(await state()).toBe("completed");
  expect((await call(sandbox, `${at}/summary`)).status).toBe(200);
});

it("a scan whose totals exceed the safe integers fails with a hint", async () => {
  const sandbox = await sandboxForTest();
  const largest = 99_999_999_999;
  const one = await submitAndSettle(sandbox, { file: createFile(...rowsOf(1, 501, largest)) });
  await submitAndSettle(sandbox, { file: createFile(...rowsOf(501, 1_001, largest)) });
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

describe("POST /v1/portfolio-scans", () => {
  it.each([{ mode: "delta" }, { mode: "full", baselineScanId: "x" }])("refuses %j", async (body) => {
    const refused = await post(await sandboxForTest(), PATH, body);
    expect(problemOf(refused)).toEqual({ status: 422, code: "validation_failed", at: ["/baselineScanId"] });
  });

  it("refuses scans and jobs of other partners and environments", async () => {
    const sandbox = await sandboxForTest();
    const job = await submitAndSettle(sandbox);
    const { id } = await runScan(sandbox, { mode: "full" });
    for (const [who, token] of listOtherCredentials(sandbox)) {
      const requestProblem = async (body: object) => problemOf(await post(sandbox, PATH, body, { token }));
      expect(await requestProblem({ mode: "delta", baselineScanId: id }), who).toEqual({
        ...{ status: 404, code: "scan_not_found", at: ["/baselineScanId"] },
      });
      expect(await requestProblem({ mode: "full", jobIds: [job] }), who).toEqual({
        ...{ status: 404, code: "job_not_found", at: ["/jobIds/0"] },
      });
      for (const path of [`${PATH}/${id}`, `${PATH}/${id}/summary`])
        expect(problemOf(await call(sandbox, path, { token })), who).toMatchObject({
          ...{ status: 404, code: "scan_not_found" },
        });
      const own = await post(sandbox, PATH, { mode: "full" }, { token });
      expect(own.body.jobCount, who).toBe(0);
    }
  });

  it("refuses a job that is not completed", async () => {
    const sandbox = await sandboxForTest();
    const partial = await submitAndSettle(sandbox, {
      file: entriesCsv([ordinaryEntryNumber(1), scriptedEntryNumber("1")]),
    });
    const refused = await post(sandbox, PATH, { mode: "full", jobIds: [partial] });
    expect(problemOf(refused)).toEqual({ status: 409, code: "job_not_completed", at: ["/jobIds/0"] });
  });
});

describe("the aliases of portfolio scans", () => {
  it("POST /broker/v1/portfolio/delta-scan creates a delta scan without a mode", async () => {
    const sandbox = await sandboxForTest();
    const { id } = await runScan(sandbox, { mode: "full" });
    const path = "/broker/v1/portfolio/delta-scan";
    const requested = await post(sandbox, path, { baselineScanId: id });
    expect(requested.status).toBe(202);
    expect(requested.body).toMatchObject({ mode: "delta", baselineScanId: id });
    expect(problemOf(await post(sandbox, path, {})).at).toEqual(["/baselineScanId"]);
    expect(problemOf(await post(sandbox, path, { baselineScanId: id, mode: "full" })).at).toEqual(["/mode"]);
  });

  it.each([
    ["a missing scanId", "", 422, ["scanId"]],
    ["a scanId that is too long", `?scanId=${"x".repeat(101)}`, 422, ["scanId"]],
    ["an unknown parameter", "?scanId=a&x=1", 422, ["x"]],
    ["an unknown scanId", "?scanId=a%0Ab", 404, []],
  ])("GET /broker/v1/portfolio/summary refuses %s", async (_, query, status, at) => {
    const refused = await call(await sandboxForTest(), `/broker/v1/portfolio/summary${query}`);
    expect(problemOf(refused)).toMatchObject({ status, at });
  });
});
