import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { delimiter, join } from "node:path";
import { ClaimsError } from "../../../domain/errors.ts";
import { command } from "../../command.ts";
import type { Child, ChildEnd, Context } from "../../context.ts";
import { startEmbedded } from "../../embedded-sandbox.ts";
import { fileProblem } from "../../file-problem.ts";
import { shellQuote } from "../../output/shell-quote.ts";
import { sandboxEnvironment } from "./environment.ts";
import { sandboxOptions, startOptions } from "./options.ts";

export const exec = command({
  name: "exec",
  summary: "run a command with a sandbox of its own",
  remote: false,
  answers: "nothing",
  arguments: [{ name: "command", help: "what to run, after --", many: true, verbatim: true }],
  options: startOptions,
  examples: [
    "claims sandbox exec -- npm test",
    "claims sandbox exec --frozen --at 2026-11-20T00:00:00Z -- ./submit.sh",
    "claims sandbox exec --grease all --seed 7 -- npm test",
  ],
  async run(context, { args: { command: line }, options, onEnd }) {
    const [program = "", ...args] = line;
    const sandbox = await startEmbedded(context, sandboxOptions(context, options));
    onEnd(() => sandbox.close());
    const tools = await mkdtemp(join(context.temporaryDirectory, "claims-exec-"));
    onEnd(() => rm(tools, { recursive: true, force: true }));
    await putOwnCommand(context, tools);

    const child = context.start({
      command: program,
      args,
      env: {
        ...context.env,
        ...sandboxEnvironment(sandbox),
        PATH: [tools, context.env.PATH].filter(Boolean).join(delimiter),
      },
      mode: { kind: "inherit" },
    });
    return { kind: "nothing", exitCode: exitCodeOf(await end(context, child, program)) };
  },
});

/** Puts a `claims` into the folder that is this very program, whatever else the PATH holds. */
async function putOwnCommand({ self, platform }: Context, folder: string): Promise<void> {
  if (platform === "win32") {
    await writeFile(join(folder, "claims.cmd"), `@"${self.node}" "${self.script}" %*\r\n`);
    return;
  }
  const script = `#!/bin/sh\nexec ${shellQuote(self.node)} ${shellQuote(self.script)} "$@"\n`;
  await writeFile(join(folder, "claims"), script, { mode: 0o755 });
}

/** Waits for the child, and passes a request to stop on to it. */
async function end({ signal }: Context, child: Child, program: string): Promise<ChildEnd> {
  const pass = () => child.kill(signal.reason === "SIGINT" ? "SIGINT" : "SIGTERM");
  signal.addEventListener("abort", pass);
  try {
    return await child.ended;
  } catch (error) {
    throw new ClaimsError("usage", "cannot_run", `cannot run ${program}: ${fileProblem(error)}`, {
      hint: "give a command on the PATH, or the path of one",
      cause: error,
    });
  } finally {
    signal.removeEventListener("abort", pass);
  }
}

/** The child's own code; 128 + the signal's number for a child that a signal ended, as a shell has it. */
const exitCodeOf = (ended: ChildEnd): number =>
  "code" in ended ? ended.code : 128 + (constants.signals[ended.signal as NodeJS.Signals] ?? 0);
