import { extname } from "node:path";
import { usageError } from "../../domain/errors.ts";

/** Parses the file of a `--report`, whose suffix names the format. */
export const reportFileParser =
  (suffixes: readonly string[]) =>
  (path: string): string => {
    if (suffixes.includes(extname(path))) return path;
    const last = suffixes.at(-1);
    throw usageError("unknown_report_suffix", `--report cannot write "${path}"`, {
      hint: `end the name with ${suffixes.slice(0, -1).join(", ")} or ${last}`,
    });
  };
