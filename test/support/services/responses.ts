import { CODINGS } from "./coded-responses.ts";
import { ERRORS } from "./error-responses.ts";
import type { ForeignResponse } from "./foreign-response.ts";
import { JOBS, SUBMISSIONS } from "./job-responses.ts";
import { LISTS } from "./list-responses.ts";
import { NOT_THE_SERVICE } from "./stray-responses.ts";

/** Every response, for tables and for the fuzzer. */
export const RESPONSES: readonly ForeignResponse[] = [
  ...ERRORS,
  ...NOT_THE_SERVICE,
  ...SUBMISSIONS,
  ...CODINGS,
  ...LISTS,
  ...JOBS,
];
