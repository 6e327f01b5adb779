import { ClaimsError } from "../../domain/errors.ts";

/** What a check came to. */
export interface CheckResult {
  /** `skip`: it could not be made, because of another that failed. */
  readonly status: "ok" | "warn" | "fail" | "skip";
  readonly detail: string;
  /** What to do next. */
  readonly hint: string | null;
  /** Why it failed, in the terms of exit codes. */
  readonly failure?: ClaimsError;
}

/** A check by name, and what it came to. */
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

/** Makes a check; an error of ours is its failure. */
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
