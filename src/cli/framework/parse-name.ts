import { usageError } from "../../domain/errors.ts";

/**
 * A name that a person gives to something of theirs: it becomes part of file names and command lines.
 *
 * @param what it names, as in `a profile`
 * @throws ClaimsError `invalid_name`
 */
export function parseName(text: string, what: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)) return text;
  throw usageError("invalid_name", `"${text}" cannot name ${what}`, {
    hint: "use up to 64 letters, digits, dots, dashes and underscores",
  });
}
