import { resolve } from "node:path";
import type { RejectedRowPicker } from "../../../domain/entries/rejected-rows.ts";
import { usageError } from "../../../domain/errors.ts";
import { formatCount } from "../../../domain/numbers.ts";
import type { Context } from "../../context.ts";
import { writeFileAtomically } from "../../files/atomic-file.ts";
import { refuseReplacedInput } from "../../files/replaced-input.ts";
import type { OptionSpecs } from "../../framework/options.ts";
import { printMessage } from "../../output/stderr.ts";

export const rejectedCsv = {
  rejectedCsv: {
    value: "file",
    isOutput: true,
    help: "write the rows of rejected entries to a CSV file, with line, codes and reasons",
  },
} as const satisfies OptionSpecs;

/** Mode 0600: they are the importer's own cells. @param verify gets their number; if it throws, no file is written */
export async function writeRejectedCsv(
  context: Context,
  chunks: AsyncIterable<Uint8Array>,
  path: string,
  picker: RejectedRowPicker,
  verify: (rows: number) => void = () => {},
): Promise<void> {
  async function* pick(): AsyncGenerator<string> {
    for await (const bytes of chunks) yield picker.push(bytes);
    yield picker.end();
    verify(picker.count);
  }
  const { cwd, signal } = context;
  await writeFileAtomically(resolve(cwd, path), pick(), { mode: 0o600, signal });
  const rows = formatCount(picker.count, "row");
  printMessage(context, `wrote ${rows} of rejected entries to ${path}`, { path });
}

/** Refuses a path that would replace the source, before any work. @param sources as the command line names them */
export async function checkRejectedCsvPath(context: Context, path: string, sources: readonly string[]) {
  if (path === "-") {
    throw usageError("option_conflict", "--rejected-csv writes a file, because stdout has the report", {
      hint: "name a file",
    });
  }
  await refuseReplacedInput(context, "--rejected-csv", path, sources);
}
