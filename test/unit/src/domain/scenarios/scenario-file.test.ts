import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CLASSIFICATIONS } from "../../../../../src/domain/diligence/classify.ts";
import type { Layout } from "../../../../../src/domain/entries/entry.ts";
import { FIRST_AS_OF, SCENARIO_SELLER } from "../../../../../src/domain/scenarios/draft.ts";
import {
  generateScenarioFile,
  type ScenarioFileOptions,
} from "../../../../../src/domain/scenarios/scenario-file.ts";
import { SCENARIO_NAMES, type ScenarioName } from "../../../../../src/domain/scenarios/scenario-names.ts";
import { getMinRows, getScenario, ROW_FAULTS } from "../../../../../src/domain/scenarios/scenarios.ts";
import { IS_EXHAUSTIVE } from "../../../../support/exhaustive.ts";
import { codesOf, readEntryFile, readFileError } from "../../../../support/read-entry-file.ts";
import { forecastOutcome } from "../../../../support/scenario-file.ts";

const LAYOUTS: readonly Layout[] = ["entry", "es003"];

const AS_OF = FIRST_AS_OF + 270;

const generateFile = (request: ScenarioFileOptions): Buffer =>
  Buffer.concat([...generateScenarioFile(request)]);

/** Reads a file as of a day, with the seller of the scenarios. */
const read = (file: Uint8Array, asOf: number) =>
  readEntryFile(file, [65_536], { asOf, sellerName: SCENARIO_SELLER, requiresProtestDocumentation: false });

/** Counts the lines below the header. No generated cell contains a line end. */
const countRows = (file: Buffer): number => file.toString("latin1").split("\n").length - 2;

const pairs = SCENARIO_NAMES.flatMap((scenario) => LAYOUTS.map((layout) => [scenario, layout] as const));

/** Requests for files of a scenario with few rows. */
function requests(scenario: ScenarioName, layout: Layout): fc.Arbitrary<ScenarioFileOptions> {
  const least = getMinRows(scenario, layout);
  return fc.record({
    scenario: fc.constant(scenario),
    layout: fc.constant(layout),
    rows: fc.integer({ min: least, max: least + 120 }),
    seed: fc.nat(),
    asOf: fc.integer({ min: FIRST_AS_OF, max: FIRST_AS_OF + 3_000 }),
  });
}

describe.each(pairs)("the scenario %s in layout %s", (scenario, layout) => {
  const { failureCode, review } = getScenario(scenario);
  const isFileError = failureCode !== null && failureCode !== "scenario_failure";

  it("has the requested rows and the listed outcome for any row count, seed and date", () => {
    fc.assert(
      fc.property(requests(scenario, layout), (request) => {
        const file = generateFile(request);
        expect(countRows(file)).toBe(request.rows);
        if (isFileError) {
          expect(readFileError(file).code).toBe(failureCode);
          return;
        }
        const { entries, rejected, deferred } = forecastOutcome(scenario, layout, request.rows);
        const { report, entries: assessed } = read(file, request.asOf);
        expect(report.layout).toBe(layout);
        expect(report.totals.entriesSubmitted).toBe(entries);
        expect(report.totals.entriesRejected).toBe(rejected);
        expect(assessed.filter((entry) => entry.scenario === "deferred")).toHaveLength(deferred);
        if (review !== null) expect(report.rf8Review.outcome).toBe(review);
      }),
      { numRuns: IS_EXHAUSTIVE ? 40 : 6 },
    );
  });

  it("depends only on the request", () => {
    const request = { scenario, layout, rows: getMinRows(scenario, layout), seed: 7, asOf: AS_OF };
    const file = generateFile(request);
    expect(generateFile(request).equals(file)).toBe(true);
    expect(generateFile({ ...request, seed: 8 }).equals(file)).toBe(false);
  });
});

describe.each(LAYOUTS)("scenario files in layout %s", (layout) => {
  const assess = (scenario: ScenarioName, rows: number, asOf = AS_OF) =>
    read(generateFile({ scenario, layout, rows, seed: 1, asOf: AS_OF }), asOf);

  it("clean has only entries of grade A, none of them urgent", () => {
    const { report } = assess("clean", 500);
    expect(report.byGrade.A.entries).toBe(forecastOutcome("clean", layout, 500).entries);
    expect(report.rf8Review).toMatchObject({ score: 100, urgentEntryCount: 0 });
    expect(Object.keys(report.byClassification)).toHaveLength(2);
  });

  it("mixed has every classification of the layout equally often", () => {
    const classes = CLASSIFICATIONS.filter(
      (classification) => layout === "es003" || classification !== "liquidation_unknown",
    );
    const { report } = assess("mixed", layout === "entry" ? classes.length : classes.length * 3);
    const counts = classes.map((classification) => [classification, 1]);
    const found = Object.entries(report.byClassification).map(([name, { entries }]) => [name, entries]);
    expect(found).toEqual(counts);
    expect(report.rf8Review.urgentEntryCount).toBeGreaterThan(0);
  });

  it("mixed has the same outcome when it is submitted two days later", () => {
    const reports = [assess("mixed", 1_000), assess("mixed", 1_000, AS_OF + 2)].map(({ report }) => report);
    const [then, later] = reports.map(({ byClassification, rf8Review }) => [
      Object.entries(byClassification).map(([name, { entries }]) => [name, entries]),
      rf8Review.urgentEntryCount,
    ]);
    expect(later).toEqual(then);
  });

  it("rejected-rows breaks each of its rules once, one rule per entry", () => {
    const { report } = assess("rejected-rows", getMinRows("rejected-rows", layout));
    const codes = report.rejections.map((rejection) => [...new Set(codesOf(rejection))]);
    expect(codes).toEqual(Object.keys(ROW_FAULTS).map((code) => [code]));
  });

  it("mixed with a million rows stays below the upload limit of a sandbox", () => {
    const request = { scenario: "mixed", layout, rows: 1_000_000, seed: 1, asOf: AS_OF } as const;
    const [first] = generateScenarioFile(request);
    expect(((first?.length ?? 0) / countRows(Buffer.from(first ?? ""))) * request.rows).toBeLessThan(
      256 << 20,
    );
  });
});

it("generateScenarioFile gives every row of a large file its own entry number", { tags: "large" }, () => {
  const rows = IS_EXHAUSTIVE ? 200_000 : 50_000;
  const file = generateFile({ scenario: "partial", layout: "entry", rows, seed: 3, asOf: AS_OF });
  const numbers = new Set(file.toString("utf8").match(/^[A-Z0-9]{3}-\d{7}-\d/gm));
  expect(numbers.size).toBe(rows);
});
