import { formatDay, formatOptionalDay } from "../entries/dates.ts";
import type { FileWarning } from "../entries/file-warnings.ts";
import type { AssessmentOptions } from "./assessment-options.ts";
import type { DutySubtotal, Totals } from "./totals.ts";

// The sandbox's own diligence model §3 (illustrative); rf8Review is the service's own term.

const SEVERITIES = {
  rows_accepted: "blocker",
  refundable_duty_present: "blocker",
  importer_matches_seller: "condition",
  entry_types_supported: "info",
  no_drawback_overlap: "condition",
  protest_documentation: "condition",
  deadline_headroom: "info",
  finality_exposure: "condition",
  file_consistent: "condition",
} as const;

const REJECTED_PERCENT_ALLOWED = 20;
const FINALITY_PERCENT_ALLOWED = 25n;
const SCORE_PER_FAIL = 60;
const SCORE_PER_WARNING = { blocker: 10, condition: 8, info: 3 };

type CheckCode = keyof typeof SEVERITIES;
type CheckStatus = "pass" | "warn" | "fail" | "not_applicable";
export const REVIEW_OUTCOMES = ["clear", "conditional", "declined"] as const;

export type ReviewOutcome = (typeof REVIEW_OUTCOMES)[number];

interface ReviewCheck {
  code: CheckCode;
  severity: keyof typeof SCORE_PER_WARNING;
  status: CheckStatus;
  entryCount: number;
  ieepaDutyCents: number;
}

/** `rf8Review` in the sandbox's reports (diligence-model §3). */
export type Rf8Review = ReturnType<typeof createRf8Review>;

interface Finding extends DutySubtotal {
  status: CheckStatus;
}

/** What the review takes from the file besides its accepted entries. */
interface FileFacts {
  readonly rejected: number;
  readonly deferred: number;
  readonly fileWarnings: readonly FileWarning[];
}

const NO_ENTRIES: DutySubtotal = { entries: 0, ieepaDutyCents: 0 };
const NOT_APPLICABLE: Finding = { status: "not_applicable", ...NO_ENTRIES };

export function createRf8Review(totals: Totals, file: FileFacts, options: AssessmentOptions) {
  const findings = runChecks(totals, file, options);
  const checks = (Object.keys(SEVERITIES) as CheckCode[]).flatMap((code) => {
    const finding = findings[code];
    if (finding === null) return [];
    const { status, entries: entryCount, ieepaDutyCents } = finding;
    return { code, severity: SEVERITIES[code], status, entryCount, ieepaDutyCents };
  });
  const conditions = checks.filter(({ severity, status }) => severity === "condition" && status === "warn");
  const isDeclined = checks.some(({ status }) => status === "fail");
  const outcome: ReviewOutcome = isDeclined ? "declined" : conditions.length > 0 ? "conditional" : "clear";
  return {
    schemaVersion: "sandbox-1",
    sandboxModel: true,
    asOf: formatDay(options.asOf),
    sellerName: options.sellerName,
    requiresProtestDocumentation: options.requiresProtestDocumentation,
    outcome,
    score: computeScore(checks),
    conditions: conditions.map(({ code }) => code),
    checks,
    documentsRequested: listDocuments(totals, options.requiresProtestDocumentation),
    nearestDeadline: formatOptionalDay(totals.nearestDeadline),
    urgentEntryCount: totals.urgent.entries,
  };
}

function runChecks(
  totals: Totals,
  file: FileFacts,
  { sellerName, requiresProtestDocumentation }: AssessmentOptions,
): Record<CheckCode, Finding | null> {
  const isConsistent = file.fileWarnings.every(({ severity }) => severity !== "stop");
  return {
    rows_accepted: checkRowsAccepted(totals.total.entries, file),
    refundable_duty_present: { status: totals.total.ieepaDutyCents === 0 ? "fail" : "pass", ...NO_ENTRIES },
    importer_matches_seller: sellerName === "" ? NOT_APPLICABLE : warnIfAny(totals.importerMismatch),
    entry_types_supported: warnIfAny(totals.subtotalOf("excluded_entry_type")),
    no_drawback_overlap: warnIfAny(totals.subtotalOf("on_drawback_claim")),
    protest_documentation: requiresProtestDocumentation
      ? warnIfAny(totals.protestWithoutNumber)
      : NOT_APPLICABLE,
    deadline_headroom: warnIfAny(totals.urgent),
    finality_exposure: checkFinalityExposure(totals),
    // Not in the list if it passes.
    file_consistent: isConsistent ? null : { status: "warn", ...NO_ENTRIES },
  };
}

const warnIfAny = ({ entries, ieepaDutyCents }: DutySubtotal): Finding => ({
  status: entries > 0 ? "warn" : "pass",
  entries,
  ieepaDutyCents,
});

function checkRowsAccepted(accepted: number, { rejected, deferred }: FileFacts): Finding {
  const finding = warnIfAny({ entries: rejected, ieepaDutyCents: 0 });
  const submitted = accepted + rejected + deferred;
  const isTooMany = rejected * 100 > submitted * REJECTED_PERCENT_ALLOWED;
  return isTooMany ? { ...finding, status: "fail" } : finding;
}

function checkFinalityExposure(totals: Totals): Finding {
  const final = totals.subtotalOf("finally_liquidated");
  const denied = totals.subtotalOf("protest_denied_final");
  const ieepaDutyCents = final.ieepaDutyCents + denied.ieepaDutyCents;
  // BigInt, because a hundred times the duty may exceed 2^53.
  const exposed = BigInt(ieepaDutyCents) * 100n;
  const allowed = BigInt(totals.total.ieepaDutyCents) * FINALITY_PERCENT_ALLOWED;
  return {
    status: exposed > allowed ? "warn" : "pass",
    entries: final.entries + denied.entries,
    ieepaDutyCents,
  };
}

function computeScore(checks: readonly ReviewCheck[]): number {
  const lost = checks.reduce((sum, { status, severity }) => {
    if (status === "fail") return sum + SCORE_PER_FAIL;
    return status === "warn" ? sum + SCORE_PER_WARNING[severity] : sum;
  }, 0);
  return Math.max(0, 100 - lost);
}

function listDocuments(totals: Totals, requiresProtestDocumentation: boolean): string[] {
  const needsProtest = requiresProtestDocumentation && (totals.byRoute().protest?.entries ?? 0) > 0;
  return [
    "es003_export",
    "cbp_form_7501",
    ...(needsProtest ? ["cbp_form_19_or_ace_protest_receipt", "proof_of_liquidation"] : []),
    ...(totals.importerMismatch.entries > 0 ? ["affiliate_assignment_or_consent"] : []),
  ];
}
