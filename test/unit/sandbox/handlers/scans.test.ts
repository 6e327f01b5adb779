import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../../../sandbox/index.ts";
import type { Scan, ScanSummary } from "../../../../src/contract/scans.ts";
import { fixture } from "../../../support/cli.ts";
import { sandboxForTest } from "../../../support/sandbox.ts";
import {
  call,
  entriesCsv,
  type InvalidBody,
  listOtherCredentials,
  ordinaryEntryNumber,
  post,
  problemOf,
  readJob,
  scriptedEntryNumber,
  submissionForm,
  submit,
  submitAndSettle,
} from "../../../support/sandbox-requests.ts";

const PATH = "/v1/portfolio-scans";

/** What a row says beyond its number: duty in dollars, and the day of liquidation where there was one. */
type Row = readonly [serial: number, duty: number, liquidated?: string];

/** A file of these entries. */
const file = (...rows: readonly Row[]): string =>
  [
    "entry_number,entry_type_code,importer_number,entry_date,country_of_origin_code,entered_value,ieepa_duty_paid,liquidation_status,liquidation_date",
    ...rows.map(
      ([serial, duty, liquidated = ""]) =>
        `${ordinaryEntryNumber(serial)},01,12-3456789,2025-06-01,CN,1000.00,${duty}.00,${liquidated ? "LIQUIDATED" : "NOT_LIQUIDATED"},${liquidated}`,
    ),
    "",
  ].join("\n");

async function scanned(sandbox: Sandbox, body: object): Promise<Scan> {
  const asked = await post(sandbox, PATH, body);
  if (asked.status !== 202) throw new Error(asked.text);
  return (await call(sandbox, `${PATH}/${asked.body.id}`)).body as unknown as Scan;
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
  it("has the totals of the report if there is one job", async () => {
    const sandbox = await sandboxForTest();
    const job = await submitAndSettle(sandbox, { file: readFileSync(fixture("sample_es003.csv"), "utf8") });
    const report = (await readJob(sandbox, "report", job)).body as Record<string, Record<string, unknown>>;
    const scan = await scanned(sandbox, { mode: "full" });
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

  it("counts an entry of several jobs once, from the latest job, and only completed jobs", async () => {
    const sandbox = await sandboxForTest();
    const first = await submitAndSettle(sandbox, { file: file([1, 100], [2, 100]) });
    await submitAndSettle(sandbox, { file: file([2, 250], [3, 100]) });
    await submitAndSettle(sandbox, { file: entriesCsv([ordinaryEntryNumber(4), scriptedEntryNumber("1")]) });
    const all = await scanned(sandbox, { mode: "full" });
    expect(all).toMatchObject({ jobCount: 2, entryCount: 3 });
    expect((await summaryOf(sandbox, all)).totals.ieepaDutyCents).toBe(45_000);
    const one = await scanned(sandbox, { mode: "full", jobIds: [first, first] });
    expect(one).toMatchObject({ jobCount: 1, entryCount: 2 });
  });

  it("of no jobs is empty", async () => {
    const sandbox = await sandboxForTest();
    const scan = await scanned(sandbox, { mode: "full" });
    expect(scan).toMatchObject({ jobCount: 0, entryCount: 0 });
    expect((await summaryOf(sandbox, scan)).totals.estimatedClaimCents).toBe(0);
  });

  it("sees the job that was submitted just before it", async () => {
    const sandbox = await sandboxForTest();
    await submit(sandbox, submissionForm());
    expect(await scanned(sandbox, { mode: "full" })).toMatchObject({ jobCount: 1, entryCount: 1 });
  });
});

describe("a delta scan", () => {
  it("lists added, removed, changed and aged entries", async () => {
    const sandbox = await sandboxForTest();
    // 76 days after liquidation CAPE is open for four days more, and the protest of 2026-05-30 for a week.
    const rows: Row[] = [
      [1, 100],
      [2, 100, "2026-09-05"],
      [3, 100],
      [4, 100, "2026-05-30"],
      [5, 100],
    ];
    const old = await submitAndSettle(sandbox, { file: file(...rows) });
    const gone = await submitAndSettle(sandbox, { file: file([6, 100]) });
    const baseline = await scanned(sandbox, { mode: "full" });
    await sandbox.clock.advance("10d");
    const later = await submitAndSettle(sandbox, { file: file([3, 175], [7, 100]) });
    const delta = await scanned(sandbox, {
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
    expect(gone).not.toBe(old);
  });

  it("finds nothing without changes, however much interest has grown", async () => {
    const sandbox = await sandboxForTest();
    await submitAndSettle(sandbox, { file: file([1, 100]) });
    const baseline = await scanned(sandbox, { mode: "full" });
    await sandbox.clock.advance("30d");
    const delta = await scanned(sandbox, { mode: "delta", baselineScanId: baseline.id });
    expect(numbersOf(delta)).toEqual({ added: [], removed: [], changed: [], aged: [] });
    const [was, is] = [await summaryOf(sandbox, baseline), await summaryOf(sandbox, delta)];
    expect(is.totals.interestCents).toBeGreaterThan(was.totals.interestCents);
    expect(is.changes?.unchanged).toBe(1);
  });

  it("may be the baseline of another", async () => {
    const sandbox = await sandboxForTest();
    const full = await scanned(sandbox, { mode: "full" });
    await submitAndSettle(sandbox, { file: file([1, 100]) });
    const first = await scanned(sandbox, { mode: "delta", baselineScanId: full.id });
    const second = await scanned(sandbox, { mode: "delta", baselineScanId: first.id });
    expect([first.changes?.added.length, second.changes?.added.length]).toEqual([1, 0]);
  });

  it("lists a thousand, counts the rest, and lets other requests through", async () => {
    const sandbox = await sandboxForTest();
    const empty = await scanned(sandbox, { mode: "full" });
    await submitAndSettle(sandbox, { file: file(...Array.from({ length: 1_200 }, (_, n): Row => [n, 1])) });
    const delta = await scanned(sandbox, { mode: "delta", baselineScanId: empty.id });
    expect([delta.changes?.added.length, delta.changes?.truncated]).toEqual([1_000, true]);
    expect((await summaryOf(sandbox, delta)).changes?.added).toBe(1_200);
  });
});

it("a delta lists the first thousand removed or changed entries with their former state", async () => {
  const sandbox = await sandboxForTest();
  const rows = (from: number, to: number, duty: number) =>
    Array.from({ length: to - from }, (_, n): Row => [from + n, duty]);
  const old = await submitAndSettle(sandbox, { file: file(...rows(0, 2_200, 1)) });
  // The other way round: what is named does not depend on the order of the later file alone.
  const later = await submitAndSettle(sandbox, { file: file(...rows(1_100, 2_200, 2).reverse()) });
  const baseline = await scanned(sandbox, { mode: "full", jobIds: [old] });
  const delta = await scanned(sandbox, { mode: "delta", baselineScanId: baseline.id, jobIds: [later] });
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

describe("at real speed", () => {
  it("a scan is queued, then processing, then completed, and its summary waits for that", async () => {
    const sandbox = await sandboxForTest({ jobSpeed: "real" });
    const asked = await post(sandbox, PATH, { mode: "full" });
    const at = `${PATH}/${asked.body.id}`;
    expect([asked.headers.get("location"), asked.headers.get("retry-after")]).toEqual([at, "1"]);
    const state = async () => (await call(sandbox, at)).body.state;
    expect(asked.body.state).toBe("queued");
    expect(problemOf(await call(sandbox, `${at}/summary`))).toMatchObject({
      ...{ status: 409, code: "scan_not_ready" },
    });
    await sandbox.clock.advance("1s");
    expect(await state()).toBe("processing");
    const early = await post(sandbox, PATH, { mode: "delta", baselineScanId: asked.body.id });
    expect(problemOf(early)).toEqual({ status: 409, code: "scan_not_ready", at: ["/baselineScanId"] });
    await sandbox.clock.advance("3s");
    expect(await state()).toBe("completed");
    expect((await call(sandbox, `${at}/summary`)).status).toBe(200);
  });
});

describe("a request for a scan", () => {
  it("is repeated under its key", async () => {
    const sandbox = await sandboxForTest();
    const headers = { "idempotency-key": "one" };
    const first = await post(sandbox, PATH, { mode: "full" }, { headers });
    const again = await post(sandbox, PATH, { mode: "full" }, { headers });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
  });

  it.each<InvalidBody>([
    ["no mode", {}, ["/mode"]],
    ["a mode that is no text", { mode: 1 }, ["/mode"]],
    ["another mode", { mode: "partial" }, ["/mode"]],
    ["a delta without a baseline", { mode: "delta" }, ["/baselineScanId"]],
    ["a full scan with one", { mode: "full", baselineScanId: "x" }, ["/baselineScanId"]],
    ["a baseline that is no text", { mode: "delta", baselineScanId: 7 }, ["/baselineScanId"]],
    ["a baseline too long", { mode: "delta", baselineScanId: "x".repeat(101) }, ["/baselineScanId"]],
    ["jobs that are no list", { mode: "full", jobIds: "x" }, ["/jobIds"]],
    ["no jobs", { mode: "full", jobIds: [] }, ["/jobIds"]],
    ["too many jobs", { mode: "full", jobIds: Array.from({ length: 1_001 }, () => "x") }, ["/jobIds"]],
    ["a job that is no text", { mode: "full", jobIds: ["x", 7] }, ["/jobIds/1"]],
    ["a job id too long", { mode: "full", jobIds: ["x".repeat(101)] }, ["/jobIds/0"]],
    ["an unknown field", { mode: "full", label: "x" }, ["/label"]],
  ])("is refused with %s and names the field", async (_, body, at) => {
    const refused = await post(await sandboxForTest(), PATH, body);
    expect(problemOf(refused)).toEqual({ status: 422, code: "validation_failed", at });
  });

  it("finds only the caller's scans and jobs", async () => {
    const sandbox = await sandboxForTest();
    const job = await submitAndSettle(sandbox);
    const { id } = await scanned(sandbox, { mode: "full" });
    for (const [who, token] of listOtherCredentials(sandbox)) {
      const asked = async (body: object) => problemOf(await post(sandbox, PATH, body, { token }));
      expect(await asked({ mode: "delta", baselineScanId: id }), who).toEqual({
        ...{ status: 404, code: "scan_not_found", at: ["/baselineScanId"] },
      });
      expect(await asked({ mode: "full", jobIds: [job] }), who).toEqual({
        ...{ status: 404, code: "job_not_found", at: ["/jobIds/0"] },
      });
      for (const path of [`${PATH}/${id}`, `${PATH}/${id}/summary`])
        expect(problemOf(await call(sandbox, path, { token })), who).toMatchObject({
          ...{ status: 404, code: "scan_not_found" },
        });
      const mine = await post(sandbox, PATH, { mode: "full" }, { token });
      expect(mine.body.jobCount, who).toBe(0);
    }
  });

  it("takes only completed jobs", async () => {
    const sandbox = await sandboxForTest();
    const partial = await submitAndSettle(sandbox, {
      file: entriesCsv([ordinaryEntryNumber(1), scriptedEntryNumber("1")]),
    });
    const refused = await post(sandbox, PATH, { mode: "full", jobIds: [partial] });
    expect(problemOf(refused)).toEqual({ status: 409, code: "job_not_completed", at: ["/jobIds/0"] });
  });
});

describe("over the aliases", () => {
  it("a delta-scan payload has no mode, and becomes a delta scan", async () => {
    const sandbox = await sandboxForTest();
    const { id } = await scanned(sandbox, { mode: "full" });
    const path = "/broker/v1/portfolio/delta-scan";
    const asked = await post(sandbox, path, { baselineScanId: id });
    expect(asked.status).toBe(202);
    expect(asked.body).toMatchObject({ mode: "delta", baselineScanId: id });
    expect(problemOf(await post(sandbox, path, {})).at).toEqual(["/baselineScanId"]);
    expect(problemOf(await post(sandbox, path, { baselineScanId: id, mode: "full" })).at).toEqual(["/mode"]);
  });

  it.each([
    ["no scanId", "", 422, ["scanId"]],
    ["an empty one", "?scanId=", 422, ["scanId"]],
    ["one too long", `?scanId=${"x".repeat(101)}`, 422, ["scanId"]],
    ["two of them", "?scanId=a&scanId=b", 422, ["scanId"]],
    ["an unknown parameter", "?scanId=a&x=1", 422, ["x"]],
    ["an unknown one", "?scanId=a%0Ab", 404, []],
  ])("a summary with %s is refused", async (_, query, status, at) => {
    const refused = await call(await sandboxForTest(), `/broker/v1/portfolio/summary${query}`);
    expect(problemOf(refused)).toMatchObject({ status, at });
  });
});
