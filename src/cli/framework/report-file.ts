import { extname } from "node:path";
import { usageError } from "../../domain/errors.ts";
import type { OptionSpecs } from "./options.ts";

export const reportFileParser =
  (suffixes: readonly string[]) =>
  (path: string): string => {
    if (suffixes.includes(extname(path))) return path;
    const last = suffixes.at(-1);
    throw usageError("option_invalid", `--report cannot write "${path}"`, {
      hint: `end the name with ${suffixes.slice(0, -1).join(", ")} or ${last}`,
    });
  };

/** Formats of a list of checks, which src/cli/output/check-report.ts writes. */
export const CHECK_REPORT_SUFFIXES = [".json", ".xml", ".md"] as const;

export const checkReportOption = {
  report: {
    value: "file",
    isOutput: true,
    repeats: true,
    parse: reportFileParser(CHECK_REPORT_SUFFIXES),
    help: "write a report: JSON (.json), JUnit (.xml) or Markdown (.md); may repeat",
  },
} as const satisfies OptionSpecs;
