import { type ClaimsError, usageError } from "../../../../domain/errors.ts";
import { startEmbeddedSandbox } from "../../../connection/embedded-sandbox.ts";
import { command } from "../../../framework/command.ts";
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
    greaseEach: {
      help: "run it once for each dimension of grease, and report what it relies on (with --grease: for these)",
    },
  },
  examples: [
    "claims sandbox exec -- npm test",
    "claims sandbox exec --frozen --at 2026-11-20T00:00:00Z -- ./submit.sh",
    "claims sandbox exec --grease all --seed 7 -- npm test",
    "claims sandbox exec --grease-each -- npm test",
  ],
  async run(context, { args: { command: words }, options: given, global, onEnd }) {
    const { greaseEach: each = false, ...options } = given;
    const [program = "", ...args] = words;
    const line = { program, args };
    const { ndjson, csv, quiet, fields, out } = global;
    if (!each && [ndjson, csv, quiet, fields, out].some(Boolean)) throw formatWithoutTable();
    const workplace = await createWorkspace(context, { onEnd });
    const start = { ...toSandboxOptions(context, options), tempDir: workplace.folder };
    if (each) return greaseEach(context, { line, workplace, options: start });
    const sandbox = await startEmbeddedSandbox(context, start);
    onEnd(() => sandbox.close());
    return {
      kind: "nothing",
      exitCode: await runChild(context, sandbox, line, { ...workplace, mode: { kind: "inherit" } }),
    };
  },
});

const formatWithoutTable = (): ClaimsError =>
  usageError("conflicting_formats", "output options do not apply to the output of the command", {
    hint: "give the command its flags after --; use output options with --grease-each",
  });
