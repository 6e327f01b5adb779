import type { Layout, Rejection } from "../entries/entry.ts";
import type { FileWarningCode } from "../entries/header.ts";
import type { WarningCode } from "../entries/rules/warnings.ts";
import type { Classification, Grade, Route } from "./classify.ts";
import type { Rf8Review } from "./rf8-review.ts";

export interface ReportTotals {
  entriesSubmitted: number;
  entriesAccepted: number;
  entriesRejected: number;
  entriesDeferred: number;
  enteredValueCents: number;
  ieepaDutyCents: number;
  interestCents: number;
  /** Duty + interest, of all accepted entries. */
  estimatedClaimCents: number;
}

export interface Subtotal {
  entries: number;
  ieepaDutyCents: number;
  interestCents: number;
}

export interface GradeSubtotal {
  entries: number;
  ieepaDutyCents: number;
}

/** The report of diligence-model §3 without `jobId` and `contractVersion`, which belong to the caller. */
export interface DiligenceReport {
  sellerName: string;
  requiresProtestDocumentation: boolean;
  /** `YYYY-MM-DD`. */
  asOf: string;
  layout: Layout;
  /** False while entries are deferred (diligence-model §4). */
  complete: boolean;
  totals: ReportTotals;
  byRoute: Partial<Record<Route, Subtotal>>;
  byClassification: Partial<Record<Classification, Subtotal>>;
  byGrade: Record<Grade, GradeSubtotal>;
  fileWarnings: FileWarningCode[];
  /** By line, the first 1,000. */
  rejections: Rejection[];
  rejectionsTruncated: boolean;
  /** Accepted entries that carry the warning. */
  warnings: Partial<Record<WarningCode, number>>;
  rf8Review: Rf8Review;
}
