import type { Layout } from "../entries/entry.ts";
import type { FileWarning } from "../entries/file-warnings.ts";
import type { Rejection } from "../entries/rules/row-error-messages.ts";
import type { WarningCode } from "../entries/rules/warnings.ts";
import type { Classification, Grade, Route } from "./classify.ts";
import type { Rf8Review } from "./rf8-review.ts";
import type { DutySubtotal, Subtotal } from "./totals.ts";

/** The report of diligence-model §3 without `jobId` and `contractVersion`, which the caller adds. */
export interface DiligenceReport {
  sellerName: string;
  requiresProtestDocumentation: boolean;
  /** `YYYY-MM-DD`. */
  asOf: string;
  layout: Layout;
  /** False while entries are deferred (diligence-model §4). */
  complete: boolean;
  totals: {
    entriesSubmitted: number;
    entriesAccepted: number;
    entriesRejected: number;
    entriesDeferred: number;
    enteredValueCents: number;
    ieepaDutyCents: number;
    interestCents: number;
    /** Duty + interest of all accepted entries. */
    estimatedClaimCents: number;
  };
  byRoute: Partial<Record<Route, Subtotal>>;
  byClassification: Partial<Record<Classification, Subtotal>>;
  byGrade: Record<Grade, DutySubtotal>;
  fileWarnings: FileWarning[];
  /** The first 1,000, by line. */
  rejections: Rejection[];
  rejectionsTruncated: boolean;
  warnings: Partial<Record<WarningCode, number>>;
  rf8Review: Rf8Review;
}
