import { describe, expect, test } from "vitest";
import { Assessment } from "../../../../../src/domain/diligence/assessment.ts";
import { categorizeState } from "../../../../../src/domain/diligence/states.ts";
import {
  codesOf,
  createFileWithRow,
  finish,
  fixture,
  OPTIONS,
  readEntryFile,
  SELLER,
} from "../../../../support/read-entry-file.ts";

const [HEADER = "", ROW = ""] = createFileWithRow({ importer_name: SELLER, protest_status: "" })
  .trim()
  .split("\n");

describe("deferred entries", () => {
  const row = (number: string, changes: [string, string] = ["", ""]) =>
    ROW.replace("BND-0000002-9", number).replace(...changes);
  const file = [
    HEADER,
    row("SBX-1000000-5"),
    row("SBX-9000000-8", ["2000.00", "$100.00"]),
    row("SBX-9000000-8"),
    row("SBX-1000001-3", [",00-", ",x"]),
  ].join("\n");

  test("are counted separately in a partial report and included in the complete report", () => {
    const { entries, report, assessment } = readEntryFile(file);
    const partial = assessment.partialReport();
    expect(entries.map(({ scenario }) => scenario)).toEqual(["deferred", null]);
    expect(report).toMatchObject({
      complete: true,
      totals: { entriesAccepted: 2, entriesDeferred: 0, entriesSubmitted: 4 },
    });
    expect(report.totals.ieepaDutyCents).toBe(210_000);
    expect(partial.complete).toBe(false);
    expect(partial.totals).toMatchObject({
      entriesSubmitted: 4,
      entriesAccepted: 1,
      entriesRejected: 2,
      entriesDeferred: 1,
    });
    expect(partial.totals.ieepaDutyCents).toBe(10_000);
    expect(partial.byGrade.A).toEqual({ entries: 1, ieepaDutyCents: 10_000 });
    expect(partial.warnings).toEqual({ AMOUNT_FORMATTED: 1 });
    expect(partial.rejections.map(codesOf)).toEqual(report.rejections.map(codesOf));
  });

  test("do not change the progress, which has the total row count only at the end", () => {
    const assessment = new Assessment(OPTIONS, () => {});
    assessment.push(Buffer.from(file));
    expect(assessment.progress).toEqual({
      rowsTotal: null,
      rowsProcessed: 3,
      entriesAccepted: 2,
      entriesRejected: 1,
    });
    expect(finish(assessment)).toBe(0);
    expect(assessment.progress).toEqual({
      rowsTotal: 4,
      rowsProcessed: 4,
      entriesAccepted: 2,
      entriesRejected: 2,
    });
  });
});

describe("RF8 review checks", () => {
  const review = (changes: Record<string, string>, options = OPTIONS) =>
    readEntryFile(createFileWithRow(changes), undefined, options).report.rf8Review;
  const status = (changes: Record<string, string>, code: string, options = OPTIONS) =>
    review(changes, options).checks.find((check) => check.code === code)?.status;

  test.each([
    ["HARBOR  &  pine trading llc", "pass"],
    ["Harbor & Pine Trading, LLC - West", "pass"],
    ["Harbor & Pine Trading, LLCs", "warn"],
    ["Harbor & Pine", "warn"],
    ["", "pass"],
    ["...", "pass"],
  ])("importer_matches_seller for importer %j: %s", (name, expected) => {
    expect(status({ importer_name: name }, "importer_matches_seller")).toBe(expected);
  });

  test("importer_matches_seller for characters that are composed in one name and not in the other", () => {
    const options = { ...OPTIONS, sellerName: "Caf\u00e9 Import" };
    expect(status({ importer_name: "Cafe\u0301 Import" }, "importer_matches_seller", options)).toBe("pass");
  });

  test("rows_accepted includes deferred entries in the total", () => {
    const row = (number: string, duty = "2000.00") =>
      ROW.replace("BND-0000002-9", number).replace("2000.00", duty);
    const rows = [
      row("SBX-5000001-4"),
      row("SBX-5000002-2"),
      row("SBX-5000003-0"),
      row("SBX-5000004-8", "x"),
      row("SBX-1000001-3"),
    ];
    const { assessment } = readEntryFile([HEADER, ...rows].join("\n"));
    expect(assessment.partialReport().rf8Review.checks[0]).toMatchObject({
      code: "rows_accepted",
      status: "warn",
    });
  });

  test("importer_matches_seller is not applicable without a seller name", () => {
    const { report } = readEntryFile(createFileWithRow({ importer_name: "Somebody Else" }), undefined, {
      ...OPTIONS,
      sellerName: "",
    });
    const check = report.rf8Review.checks.find(({ code }) => code === "importer_matches_seller");
    expect(check).toMatchObject({ status: "not_applicable", entryCount: 0 });
    expect(report.rf8Review.documentsRequested).not.toContain("affiliate_assignment_or_consent");
  });

  test("the outcome is clear without a finding, and declined without duty", () => {
    expect(review({})).toMatchObject({ outcome: "clear", score: 100, conditions: [] });
    expect(review({ ieepa_duty_paid: "0" })).toMatchObject({ outcome: "declined", score: 40 });
  });

  test("protest_documentation applies only when the options require it", () => {
    const protest = { protest_status: "Open" };
    expect(review(protest)).toMatchObject({
      outcome: "conditional",
      score: 92,
      conditions: ["protest_documentation"],
    });
    expect(review(protest).documentsRequested).toContain("proof_of_liquidation");
    expect(status({ ...protest, protest_number: "1" }, "protest_documentation")).toBe("pass");
    const optional = { ...OPTIONS, requiresProtestDocumentation: false };
    expect(status(protest, "protest_documentation", optional)).toBe("not_applicable");
    expect(review(protest, optional).documentsRequested).toEqual(["es003_export", "cbp_form_7501"]);
  });

  test("rows_accepted warns up to 20% rejected entries, and fails above", () => {
    const rows = fixture("sample_entries.csv").toString().trim().split("\r\n");
    const checkAcceptance = (good: number, bad: number) => {
      const wrong = (rows[1] ?? "").replace(/^\w/, "#");
      const lines = [...rows.slice(0, good + 1), ...Array.from({ length: bad }, () => wrong)];
      return readEntryFile(lines.join("\n")).report.rf8Review.checks[0];
    };
    expect(checkAcceptance(4, 1)).toMatchObject({ code: "rows_accepted", status: "warn", entryCount: 1 });
    expect(checkAcceptance(7, 2)).toMatchObject({ status: "fail", entryCount: 2 });
  });

  test("finality_exposure warns when more than a quarter of the duty is final", () => {
    const final = { liquidation_status: "Closed", liquidation_date: "2026-01-01" };
    expect(status(final, "finality_exposure")).toBe("warn");
  });
});

test.each([
  ["Completed", "completed"],
  ["DONE", "completed"],
  ["success", "completed"],
  ["Partial", "partial"],
  ["FAILED", "failed"],
  ["processing", "pending"],
  ["whatever", "pending"],
])("job states categorizeState maps %s to %s", (name, category) => {
  expect(categorizeState(name)).toBe(category);
});
