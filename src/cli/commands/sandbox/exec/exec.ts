import { type ClaimsError, usageError } from "../../../../domain/errors.ts";
import { startEmbeddedSandbox } from "../../../connection/embedded-sandbox.ts";
import { command } from "../../../framework/command.ts";
import { reportFileParser } from "../../../framework/report-file.ts";
import { printNotImitated } from "../like.ts";
import { startOptions, toSandboxOptions } from "../options.ts";
import { createWorkspace, runChild } from "./child.ts";
import { greaseEach } from "./grease-each.ts";
import { REPORT_SUFFIXES, writeReports } from "./reports.ts";

export const exec = command({
  name: "exec",
  summary: "run a command with a separate sandbox",
  output: "list",
  arguments: [{ name: "command", help: "what to run, after --", isVariadic: true, isPassThrough: true }],
  options: {
    ...startOptions,
    report: {
      value: "file",
      repeats: true,
      parse: reportFileParser(REPORT_SUFFIXES),
      help: "when the command fails, write what the sandbox saw: the pages of the inspector (.html), a timeline (.md), or the requests (.json, .ndjson, .har); may repeat",
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
    "claims sandbox exec --report run.html --report run.json --report-always -- npm test",
  ],
  async run(context, { args: { command: words }, options: given, global, onEnd }) {
    const { greaseEach: each = false, report: files = [], reportAlways = false, ...options } = given;
    if (reportAlways && files.length === 0) throw reportFileMissing();
    if (each && files.length > 0) throw reportOfManyRuns();
    if (each && options.like !== undefined) throw likeWithGrease();
    const [program = "", ...args] = words;
    const line = { program, args };
    const { ndjson, csv, quiet, fields, out } = global;
    if (!each && [ndjson, csv, quiet, fields, out].some(Boolean)) throw formatWithoutTable();
    const workplace = await createWorkspace(context, { onEnd });
    const start = { ...(await toSandboxOptions(context, options)), tempDir: workplace.folder };
    if (each) return greaseEach(context, { line, workplace, options: start });
    const sandbox = await startEmbeddedSandbox(context, start);
    onEnd(() => sandbox.close());
    printNotImitated(context, sandbox.like);
    const exitCode = await runChild(context, sandbox, line, { ...workplace, mode: { kind: "inherit" } });
    if (reportAlways || exitCode !== 0) await writeReports(context, sandbox, files);
    return { kind: "nothing", exitCode };
  },
});

const reportFileMissing = (): ClaimsError =>
  usageError("option_conflict", "--report-always needs --report", {
    hint: "name the file with --report run.html",
  });

const reportOfManyRuns = (): ClaimsError =>
  usageError("option_conflict", "--report does not go with --grease-each, which has a sandbox for each run", {
    hint: "run it with one dimension: --grease DIMENSION --report run.html",
  });

const likeWithGrease = (): ClaimsError =>
  usageError("option_conflict", "--like does not go with --grease-each, which varies what --like fixes", {
    hint: "leave out one of them",
  });

const formatWithoutTable = (): ClaimsError =>
  usageError("conflicting_formats", "output options do not apply to the output of the command", {
    hint: "give the command its flags after --; use output options with --grease-each",
  });
