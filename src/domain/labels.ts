/** What people read for a code. Programs get the code. A service may have other codes: they stay as they are. */
const ROUTE_LABELS: Readonly<Record<string, string>> = {
  cape: "CAPE refund",
  cape_deferred: "CAPE refund, later",
  protest: "Protest",
  litigation: "Litigation",
  manual_review: "Manual review",
  none: "No refund",
};

const OUTCOME_LABELS: Readonly<Record<string, string>> = { conditional: "clear with conditions" };

export const labelRoute = (route: string): string => ROUTE_LABELS[route] ?? route;

/** The words that people read for an outcome of an rf8Review. */
export const labelOutcome = (outcome: string): string => OUTCOME_LABELS[outcome] ?? outcome;

/** `cbp_form_7501` → `CBP form 7501` */
export const labelCode = (code: string): string =>
  code.replaceAll("_", " ").replace(/\b(cbp|es003|ieepa)\b/g, (name) => name.toUpperCase());

/** An rf8Review has a score of 0 to 100. */
export const labelScore = (score: number): string => `${score} of 100`;
