import { extname, resolve } from "node:path";
import type { LoggedRequest, Sandbox } from "../../../../../sandbox/index.ts";
import type { Context } from "../../../context.ts";
import { writeFileAtomically } from "../../../files/atomic-file.ts";
import { printMessage } from "../../../output/stderr.ts";

const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const toLines = (requests: readonly LoggedRequest[]): string =>
  requests.map((request) => `${JSON.stringify(request)}\n`).join("");

/** What the sandbox saw, by the suffix of the file. */
const FORMATS: Readonly<Record<string, (sandbox: Sandbox) => Promise<string>>> = {
  ".html": (sandbox) => sandbox.report(),
  ".md": async (sandbox) => `# What the sandbox saw\n\n~~~~text\n${await sandbox.debug()}~~~~\n`,
  ".json": async ({ requests }) => toJson(await requests.list()),
  ".ndjson": async ({ requests }) => toLines(await requests.list()),
  ".har": async ({ requests }) => toJson(await requests.har()),
};

export const REPORT_SUFFIXES = Object.keys(FORMATS);

export async function writeReports(
  context: Context,
  sandbox: Sandbox,
  files: readonly string[],
): Promise<void> {
  for (const file of files) {
    const render = FORMATS[extname(file)];
    if (!render) throw new Error(`no format for ${file}`);
    await writeFileAtomically(resolve(context.cwd, file), [await render(sandbox)]);
    printMessage(context, `wrote ${file}: what the sandbox saw`);
  }
}
