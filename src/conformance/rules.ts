import type { Rule } from "./rule.ts";
import { CREDENTIAL_RULES } from "./rules/credentials.ts";
import { SUBMISSION_RULES } from "./rules/submissions.ts";

/** In the order of the report. */
export const RULES: readonly Rule[] = [...CREDENTIAL_RULES, ...SUBMISSION_RULES];
