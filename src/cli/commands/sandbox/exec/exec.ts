import { extname } from "node:path";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { usageError } from "../../../../domain/errors.ts";
import { startEmbeddedSandbox } from "../../../connection/embedded-sandbox.ts";
import { command } from "../../../framework/command.ts";
import { CHECK_REPORT_SUFFIXES, reportFileParser } from "../../../framework/report-file.ts";
import { type ReportFormats, writeReportFiles } from "../../../output/check-report.ts";
import { printMapping } from "../mapping.ts";
import { startOptions, toSandboxOptions } from "../options.ts";
import { createWorkspace, runChild } from "./child.ts";
import { greaseEach } from "./grease-each.ts";

const REPORT_FORMATS: ReportFormats<Sandbox> = {
  ".html": (sandbox) => sandbox.report(),
  ".md": async (sandbox) => `# What the sandbox saw\n\n~~~~text\n${await sandbox.debug()}~~~~\n`,
  ".json": async ({ requests }) => `${JSON.stringify(await requests.list(), null, 2)}\n`,
};

const REPORT_SUFFIXES = Object.keys(REPORT_FORMATS);

export const exec = command({
  name: "exec",
  prints: "GreaseTrials",
  summary: "run a command with a separate sandbox; its CLAIMS_* variables lead there",
  output: "list",
  arguments: [{ name: "command", help: "what to run, after --", isVariadic: true, isPassThrough: true }],
  options: {
    ...startOptions,
    report: {
      value: "file",
      isOutput: true,
      repeats: true,
      parse: reportFileParser([...new Set([...REPORT_SUFFIXES, ...CHECK_REPORT_SUFFIXES])]),
      help: "when the command fails, write what the sandbox saw: pages (.html), a timeline (.md) or the requests (.json); with --grease-each the result (.json, .xml, .md); may repeat",
    },
    greaseEach: {
      help: "run it once for each dimension of grease, and report what it relies on",
    },
  },
  examples: [
    "claims sandbox exec -- npm test",
    "claims sandbox exec --grease-each --report grease.xml -- npm test",
    "claims sandbox exec --report run.html --report run.json -- npm test",
  ],
  async run(context, { args: { command: words }, options: given, global, onEnd }) {
    const { greaseEach: each = false, report: files = [], ...options } = given;
    refuseWrongSuffix(files, each);
    if (each && options.mapping !== undefined)
      throw usageError(
        "option_conflict",
        "--mapping does not go with --grease-each, which varies what --mapping fixes",
        { hint: "leave out one of them" },
      );
    const [program = "", ...args] = words;
    const line = { program, args };
    const { ndjson, csv, quiet, fields, out } = global;
    if (!each && [ndjson, csv, quiet, fields, out].some(Boolean))
      throw usageError("option_conflict", "output options do not apply to the output of the command", {
        hint: "give the command its flags after --; use output options with --grease-each",
      });
    const workplace = await createWorkspace(context, { onEnd });
    const start = await toSandboxOptions(context, options);
    if (each) return greaseEach(context, { line, workplace, options: start, files });
    const sandbox = await startEmbeddedSandbox(context, start, { tempDir: workplace.folder });
    onEnd(() => sandbox.close());
    printMapping(context, sandbox.mapping);
    const { mapping } = options;
    const exitCode = await runChild(context, sandbox, line, workplace, {
      mode: { kind: "inherit" },
      mapping,
    });
    if (exitCode !== 0) await writeReportFiles(context, sandbox, REPORT_FORMATS, files);
    return { kind: "nothing", exitCode };
  },
});

function refuseWrongSuffix(files: readonly string[], isGreaseEach: boolean): void {
  const suffixes: readonly string[] = isGreaseEach ? CHECK_REPORT_SUFFIXES : REPORT_SUFFIXES;
  const wrong = files.find((file) => !suffixes.includes(extname(file)));
  if (wrong === undefined) return;
  const hint = isGreaseEach
    ? "each run has a sandbox; for its pages, run it with one dimension: --grease DIMENSION --report run.html"
    : `add --grease-each, or end the name with ${suffixes.join(", ")}`;
  throw usageError("option_conflict", `--report ${wrong} is ${isGreaseEach ? "not " : ""}for --grease-each`, {
    hint,
  });
}
