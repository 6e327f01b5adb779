import { ClaimsError } from "../../domain/errors.ts";

/** Continues with the result of `handle` after an error that the user can act on. An interruption and a bug end the command. */
export const handleFailure = <T, F>(work: Promise<T>, handle: (error: ClaimsError) => F): Promise<T | F> =>
  work.catch((error: unknown) => {
    if (error instanceof ClaimsError && error.kind !== "interrupted") return handle(error);
    throw error;
  });
