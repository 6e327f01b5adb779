import { usageError } from "../../domain/errors.ts";
import type { GlobalOptions } from "../framework/options.ts";

/** `text`: a table or card for a person, tab-separated rows for a pipe. `ids`: one id a line. */
export type Format = "text" | "json" | "ndjson" | "csv" | "ids";

/** The format that was asked for; asking for two is an error. */
export function chooseFormat({ json, ndjson, csv, quiet }: Partial<GlobalOptions>): Format {
  const asked = Object.entries({ json, ndjson, csv, quiet }).flatMap(([name, on]) => (on ? [name] : []));
  if (asked.length > 1) {
    throw usageError("conflicting_formats", `--${asked.join(" and --")} exclude each other`, {
      hint: "choose one of them",
    });
  }
  if (quiet) return "ids";
  return (asked[0] as Format | undefined) ?? "text";
}
