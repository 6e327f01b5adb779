import { extname, resolve } from "node:path";
import type { Context } from "../context.ts";
import { writeFileAtomically } from "../files/atomic-file.ts";
import { printMessage } from "./stderr.ts";

/** Renderers by the suffix of a file. */
export type ReportFormats<T> = Readonly<Record<string, (subject: T) => string | Promise<string>>>;

export async function writeReportFiles<T>(
  context: Context,
  subject: T,
  formats: ReportFormats<T>,
  files: readonly string[],
): Promise<void> {
  for (const file of files) {
    const render = formats[extname(file)];
    if (!render) throw new Error(`no format for ${file}`);
    await writeFileAtomically(resolve(context.cwd, file), [await render(subject)]);
    printMessage(context, `wrote ${file}`, { path: file });
  }
}
