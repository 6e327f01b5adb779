import type { ErrorKind } from "../domain/errors.ts";

/** All exit codes (product.md §3). A test compares them with the table of the README. */
export const EXIT_CODES = {
  0: "done",
  1: "unexpected (a bug)",
  2: "usage",
  3: "not found",
  4: "no or refused credential, wrong environment",
  5: "rejected: by the service (other 4xx) or by local validation",
  6: "unreachable, timed out, 429 or 5xx after the allowed retries",
  7: "verification failed (signature, probe, contract)",
  8: "still pending when `--timeout` ended",
  9: "the job finished partial or failed",
  130: "interrupted",
  143: "terminated",
} as const;

export type ExitCode = keyof typeof EXIT_CODES;

export const EXIT_CODE_BY_KIND = {
  usage: 2,
  not_found: 3,
  credential: 4,
  rejected: 5,
  unreachable: 6,
  verification: 7,
  pending: 8,
  unfinished_job: 9,
  interrupted: 130,
} as const satisfies Record<ErrorKind, ExitCode>;
