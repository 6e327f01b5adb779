import type { ErrorKind } from "../domain/error-codes.ts";

/** All exit codes (product.md §3). A test compares them with the table of the README. */
export const EXIT_CODES = {
  0: "done",
  1: "unexpected (a bug)",
  2: "usage: a wrong command line, or an input file that cannot be read",
  3: "not found",
  4: "no or refused credential, wrong environment; nothing was written",
  5: "rejected: by the service (other 4xx) or by local validation",
  6: "try later: unreachable, timed out, 429 or 5xx after the allowed retries; a write whose outcome is unknown, and which a later run may repeat under its key; a lock that another run holds; a log or disk that cannot be written, or stdout before a write (a closed pipe ends quietly)",
  7: "verification failed (signature, probe, contract, conformance)",
  8: "still pending when `--timeout` ended",
  9: "the job finished partial or failed, or it ended in a state that is not known",
  10: "a write needs a decision by a person: its outcome is unknown and it will not be repeated, it was accepted without a readable job id or in another environment, or the write log cannot prove that it was not sent; in that run alone: the output of an accepted write was lost",
  129: "hang-up",
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
  needs_decision: 10,
  interrupted: 130,
} as const satisfies Record<ErrorKind, ExitCode>;
