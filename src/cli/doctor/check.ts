import { ClaimsError } from "../../domain/errors.ts";

export interface CheckResult {
  /** `skip`: another check failed that this one needs. */
  readonly status: "ok" | "warn" | "fail" | "skip";
  readonly detail: string;
  /** What to do next. */
  readonly hint: string | null;
  /** The error of a failed check, which decides the exit code. */
  readonly failure?: ClaimsError;
}

export interface Finding extends CheckResult {
  readonly check: string;
}

export const ok = (detail: string): CheckResult => ({ status: "ok", detail, hint: null });

export const warn = (detail: string, hint: string): CheckResult => ({ status: "warn", detail, hint });

export const skip = (detail: string): CheckResult => ({ status: "skip", detail, hint: null });

export const fail = (failure: ClaimsError): CheckResult => ({
  status: "fail",
  detail: failure.message,
  hint: failure.hint,
  failure,
});

/** Runs a check. A `ClaimsError` is its failure. */
export async function runCheck(
  name: string,
  work: () => CheckResult | Promise<CheckResult>,
): Promise<Finding> {
  try {
    return { check: name, ...(await work()) };
  } catch (error) {
    if (!(error instanceof ClaimsError) || error.kind === "interrupted") throw error;
    return { check: name, ...fail(error) };
  }
}
