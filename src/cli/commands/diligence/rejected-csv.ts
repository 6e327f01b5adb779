import { resolve } from "node:path";
import { type RejectedEntries, RejectedRowPicker } from "../../../domain/entries/rejected-rows.ts";
import { usageError } from "../../../domain/errors.ts";
import { formatCount } from "../../../domain/numbers.ts";
import type { Context } from "../../context.ts";
import { writeFileAtomically } from "../../files/atomic-file.ts";
import type { InputFile } from "../../files/input-file.ts";
import { refuseReplacedInput } from "../../files/replaced-input.ts";
import { printMessage } from "../../output/stderr.ts";

/** Mode 0600: they are the importer's own cells. */
export async function writeRejectedCsv(
  context: Context,
  file: InputFile,
  path: string,
  rejected: RejectedEntries,
): Promise<void> {
  const picker = new RejectedRowPicker(rejected);
  async function* pick(): AsyncGenerator<string> {
    for await (const bytes of file.chunks()) yield picker.push(bytes);
    yield picker.end();
  }
  const { cwd, signal } = context;
  await writeFileAtomically(resolve(cwd, path), pick(), { mode: 0o600, signal });
  const rows = formatCount(picker.count, "row");
  printMessage(context, `wrote ${rows} of rejected entries to ${path}`, { path });
}

/** Refuses a path that would replace the source, before any work. @param source as the command line names it */
export async function checkRejectedCsvPath(context: Context, path: string, source: string) {
  if (path === "-") {
    throw usageError("option_conflict", "--rejected-csv writes a file, because stdout has the report", {
      hint: "name a file",
    });
  }
  await refuseReplacedInput(context, "--rejected-csv", path, [source]);
}
