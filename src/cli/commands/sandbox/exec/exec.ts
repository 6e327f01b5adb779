import { resolve } from "node:path";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { type ClaimsError, usageError } from "../../../../domain/errors.ts";
import { startEmbeddedSandbox } from "../../../connection/embedded-sandbox.ts";
import type { Context } from "../../../context.ts";
import { writeFileAtomically } from "../../../files/atomic-file.ts";
import { command } from "../../../framework/command.ts";
import { printMessage } from "../../../output/stderr.ts";
import { startOptions, toSandboxOptions } from "../options.ts";
import { createWorkspace, runChild } from "./child.ts";
import { greaseEach } from "./grease-each.ts";

export const exec = command({
  name: "exec",
  summary: "run a command with a separate sandbox",
  output: "list",
  arguments: [{ name: "command", help: "what to run, after --", isVariadic: true, isPassThrough: true }],
  options: {
    ...startOptions,
    report: {
      value: "file",
      help: "HTML file for everything that the inspector shows, written when the command fails",
    },
    reportAlways: { help: "write the report also when the command succeeds" },
    greaseEach: {
      help: "run it once for each dimension of grease, and report what it relies on (with --grease: for these)",
    },
  },
  examples: [
    "claims sandbox exec -- npm test",
    "claims sandbox exec --frozen --at 2026-11-20T00:00:00Z -- ./submit.sh",
    "claims sandbox exec --grease all --seed 7 -- npm test",
    "claims sandbox exec --grease-each -- npm test",
    "claims sandbox exec --report run.html -- npm test",
  ],
  async run(context, { args: { command: words }, options: given, global, onEnd }) {
    const { greaseEach: each = false, report, reportAlways = false, ...options } = given;
    if (reportAlways && report === undefined) throw reportFileMissing();
    if (each && report !== undefined) throw reportOfManyRuns();
    const [program = "", ...args] = words;
    const line = { program, args };
    const { ndjson, csv, quiet, fields, out } = global;
    if (!each && [ndjson, csv, quiet, fields, out].some(Boolean)) throw formatWithoutTable();
    const workplace = await createWorkspace(context, { onEnd });
    const start = { ...toSandboxOptions(context, options), tempDir: workplace.folder };
    if (each) return greaseEach(context, { line, workplace, options: start });
    const sandbox = await startEmbeddedSandbox(context, start);
    onEnd(() => sandbox.close());
    const exitCode = await runChild(context, sandbox, line, { ...workplace, mode: { kind: "inherit" } });
    if (report !== undefined && (reportAlways || exitCode !== 0)) await writeReport(context, sandbox, report);
    return { kind: "nothing", exitCode };
  },
});

async function writeReport(context: Context, sandbox: Sandbox, file: string): Promise<void> {
  await writeFileAtomically(resolve(context.cwd, file), [await sandbox.report()]);
  printMessage(context, `wrote ${file}: what the sandbox saw`);
}

const reportFileMissing = (): ClaimsError =>
  usageError("option_conflict", "--report-always needs --report", {
    hint: "name the file with --report run.html",
  });

const reportOfManyRuns = (): ClaimsError =>
  usageError("option_conflict", "--report does not go with --grease-each, which has a sandbox for each run", {
    hint: "run it with one dimension: --grease DIMENSION --report run.html",
  });

const formatWithoutTable = (): ClaimsError =>
  usageError("conflicting_formats", "output options do not apply to the output of the command", {
    hint: "give the command its flags after --; use output options with --grease-each",
  });
