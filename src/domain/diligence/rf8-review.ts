import { formatDay, formatOptionalDay } from "../entries/dates.ts";
import type { AssessmentOptions } from "./assessment-options.ts";
import data from "./rf8-review.json" with { type: "json" };
import type { DutySubtotal, Totals } from "./totals.ts";

export type CheckCode =
  | "rows_accepted"
  | "refundable_duty_present"
  | "importer_matches_seller"
  | "entry_types_supported"
  | "no_drawback_overlap"
  | "protest_documentation"
  | "deadline_headroom"
  | "finality_exposure";
export type CheckSeverity = "blocker" | "condition" | "info";
export type CheckStatus = "pass" | "warn" | "fail" | "not_applicable";
export type ReviewOutcome = "clear" | "conditional" | "declined";

export interface ReviewCheck {
  code: CheckCode;
  severity: CheckSeverity;
  status: CheckStatus;
  entryCount: number;
  ieepaDutyCents: number;
}

/** `rf8Review` as the sandbox answers it (diligence-model §3). */
export interface Rf8Review {
  schemaVersion: string;
  sandboxModel: true;
  /** `YYYY-MM-DD`. */
  asOf: string;
  sellerName: string;
  requiresProtestDocumentation: boolean;
  outcome: ReviewOutcome;
  score: number;
  conditions: CheckCode[];
  checks: ReviewCheck[];
  documentsRequested: string[];
  /** `YYYY-MM-DD`. */
  nearestDeadline: string | null;
  urgentEntryCount: number;
}

/** What a check found, before its severity and its place in the list. */
interface Finding {
  status: CheckStatus;
  counts: DutySubtotal;
}

const NONE: DutySubtotal = { entries: 0, ieepaDutyCents: 0 };
const NOT_APPLICABLE: Finding = { status: "not_applicable", counts: NONE };

/** Entries that are in no sum of the tally. */
interface ExcludedEntries {
  readonly rejected: number;
  readonly deferred: number;
}

/** The review of a run: the checks of diligence-model §3 in their order, and what follows from them. */
export function createRf8Review(
  tally: Totals,
  excluded: ExcludedEntries,
  options: AssessmentOptions,
): Rf8Review {
  const checks = listChecks(evaluateChecks(tally, excluded, options));
  const conditions = checks.filter((check) => check.severity === "condition" && check.status === "warn");
  return {
    schemaVersion: data.schemaVersion,
    sandboxModel: true,
    asOf: formatDay(options.asOf),
    sellerName: options.sellerName,
    requiresProtestDocumentation: options.requiresProtestDocumentation,
    outcome: decideOutcome(checks, conditions.length),
    score: computeScore(checks),
    conditions: conditions.map((check) => check.code),
    checks,
    documentsRequested: listDocuments(tally, options.requiresProtestDocumentation),
    nearestDeadline: formatOptionalDay(tally.nearestDeadline),
    urgentEntryCount: tally.urgent.entries,
  };
}

function evaluateChecks(
  tally: Totals,
  excluded: ExcludedEntries,
  { sellerName, requiresProtestDocumentation }: AssessmentOptions,
): Record<CheckCode, Finding> {
  return {
    rows_accepted: checkRowsAccepted(tally.total.entries, excluded),
    refundable_duty_present: { status: tally.total.ieepaDutyCents === 0 ? "fail" : "pass", counts: NONE },
    importer_matches_seller: sellerName === "" ? NOT_APPLICABLE : warnIfAny(tally.importerMismatch),
    entry_types_supported: warnIfAny(tally.subtotalOf("excluded_entry_type")),
    no_drawback_overlap: warnIfAny(tally.subtotalOf("on_drawback_claim")),
    protest_documentation: requiresProtestDocumentation
      ? warnIfAny(tally.protestWithoutNumber)
      : NOT_APPLICABLE,
    deadline_headroom: warnIfAny(tally.urgent),
    finality_exposure: checkFinalityExposure(tally),
  };
}

function warnIfAny(counts: DutySubtotal): Finding {
  return { status: counts.entries > 0 ? "warn" : "pass", counts };
}

function checkRowsAccepted(accepted: number, { rejected, deferred }: ExcludedEntries): Finding {
  const counts = { entries: rejected, ieepaDutyCents: 0 };
  const submitted = accepted + rejected + deferred;
  if (rejected * 100 > submitted * data.rejectedPercentAllowed) return { status: "fail", counts };
  return warnIfAny(counts);
}

function checkFinalityExposure(tally: Totals): Finding {
  const final = tally.subtotalOf("finally_liquidated");
  const denied = tally.subtotalOf("protest_denied_final");
  const counts = {
    entries: final.entries + denied.entries,
    ieepaDutyCents: final.ieepaDutyCents + denied.ieepaDutyCents,
  };
  // BigInt: a hundredfold duty may pass 2^53.
  const exposed = BigInt(counts.ieepaDutyCents) * 100n;
  const allowed = BigInt(tally.total.ieepaDutyCents) * BigInt(data.finalityPercentAllowed);
  return { status: exposed > allowed ? "warn" : "pass", counts };
}

function listChecks(found: Record<CheckCode, Finding>): ReviewCheck[] {
  return data.checks.map((check) => {
    const code = check.code as CheckCode;
    const { status, counts } = found[code];
    const severity = check.severity as CheckSeverity;
    return { code, severity, status, entryCount: counts.entries, ieepaDutyCents: counts.ieepaDutyCents };
  });
}

function decideOutcome(checks: readonly ReviewCheck[], conditions: number): ReviewOutcome {
  if (checks.some((check) => check.status === "fail")) return "declined";
  return conditions > 0 ? "conditional" : "clear";
}

function computeScore(checks: readonly ReviewCheck[]): number {
  const lost = checks.reduce((sum, { status, severity }) => {
    if (status === "fail") return sum + data.scorePerFail;
    return status === "warn" ? sum + data.scorePerWarn[severity] : sum;
  }, 0);
  return Math.max(0, 100 - lost);
}

function listDocuments(tally: Totals, documentsRequired: boolean): string[] {
  const { always, protest, importerMismatch } = data.documents;
  const protests = documentsRequired && (tally.byRoute().protest?.entries ?? 0) > 0;
  return [
    ...always,
    ...(protests ? protest : []),
    ...(tally.importerMismatch.entries > 0 ? importerMismatch : []),
  ];
}
