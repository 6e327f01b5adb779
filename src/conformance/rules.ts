import type { Rule } from "./rule.ts";
import { CONTRACT_RULES } from "./rules/contract.ts";
import { CREDENTIAL_RULES } from "./rules/credentials.ts";
import { GREASE_RULES } from "./rules/grease.ts";
import { JOB_RULES } from "./rules/jobs.ts";
import { LIST_RULES } from "./rules/lists.ts";
import { RESULT_RULES } from "./rules/results.ts";
import { RESUME_RULES } from "./rules/resumes.ts";
import { RETRY_RULES } from "./rules/retries.ts";
import { ROUTE_RULES } from "./rules/routes.ts";
import { SUBMISSION_RULES } from "./rules/submissions.ts";
import { TOKEN_RULES } from "./rules/tokens.ts";
import { WEBHOOK_RULES } from "./rules/webhooks.ts";

/** In the order of the report. */
export const RULES: readonly Rule[] = [
  ...CREDENTIAL_RULES,
  ...TOKEN_RULES,
  ...SUBMISSION_RULES,
  ...JOB_RULES,
  ...RESULT_RULES,
  ...CONTRACT_RULES,
  ...RESUME_RULES,
  ...WEBHOOK_RULES,
  ...ROUTE_RULES,
  ...RETRY_RULES,
  ...LIST_RULES,
  ...GREASE_RULES,
];
