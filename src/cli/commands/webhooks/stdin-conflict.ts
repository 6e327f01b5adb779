import { ClaimsError } from "../../../domain/errors.ts";

/** stdin can be read once: by one of the files, as `-`, or for the secret. */
export function refuseStdinConflict(
  files: readonly (string | undefined)[],
  secretStdin: boolean | undefined,
): void {
  const readers = files.filter((file) => file === "-").length + (secretStdin ? 1 : 0);
  if (readers < 2) return;
  throw new ClaimsError("usage", "two_stdins", "two things are to be read from stdin", {
    hint: "name a file for one of them",
  });
}
