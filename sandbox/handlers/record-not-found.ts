import type { FieldError, ProblemCode } from "../../src/contract/problems.ts";
import type { Caller } from "../store/credentials.ts";
import { type ProblemError, problemError, problemErrorAt } from "../wire/problem-error.ts";

/** Where a request names something. */
export type Place = Pick<FieldError, "pointer" | "parameter">;

/** Something that a request names by its id. */
interface NamedRecord {
  readonly code: ProblemCode;
  /** As in `client`. */
  readonly what: string;
  readonly id: string;
  /** Of a body or query; the path points at nothing but itself. */
  readonly place?: Place | undefined;
}

/** What a request names and the caller does not have, whether nobody has it or somebody else (product.md §5). */
export function recordNotFound(
  { environment }: Caller,
  { code, what, id, place }: NamedRecord,
): ProblemError {
  const detail = `There is no ${what} ${id} for this credential in ${environment}.`;
  return place ? problemErrorAt(code, { ...place, code: "not_found", detail }) : problemError(code, detail);
}
