import { expectTypeOf, it } from "vitest";
import type { DatasetRow, Report } from "../../../../../src/contract/operations/diligence.ts";
import type { DiligenceReport } from "../../../../../src/domain/diligence/assessment.ts";
import type { DatasetRow as ModelDatasetRow } from "../../../../../src/domain/diligence/dataset.ts";
import type { Rf8Review } from "../../../../../src/domain/diligence/rf8-review.ts";

it("DiligenceReport, Rf8Review and DatasetRow of the domain have the fields of the contract", () => {
  expectTypeOf<DiligenceReport>().toExtend<
    Omit<Report, "jobId" | "contractVersion" | "rejections"> & { rejections: readonly object[] }
  >();
  expectTypeOf<keyof DiligenceReport | "jobId" | "contractVersion">().toEqualTypeOf<keyof Report>();
  expectTypeOf<keyof DiligenceReport["totals"]>().toEqualTypeOf<keyof Report["totals"]>();
  expectTypeOf<keyof Rf8Review>().toEqualTypeOf<keyof Report["rf8Review"]>();
  expectTypeOf<keyof ModelDatasetRow>().toEqualTypeOf<keyof DatasetRow>();
});
