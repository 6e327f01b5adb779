import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { delimiter, join } from "node:path";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import type { Call } from "../../../command.ts";
import type { Child, ChildEnd, ChildRequest, Context } from "../../../context.ts";
import { fileProblem } from "../../../file-problem.ts";
import { shellQuote } from "../../../output/shell-quote.ts";
import { sandboxEnvironment } from "../environment.ts";

/** A command of somebody else's. */
export interface Line {
  readonly program: string;
  readonly args: readonly string[];
}

/** A folder with a `claims` in it that is this very program, whatever else the PATH holds. */
export async function ownTools(context: Context, { onEnd }: Pick<Call, "onEnd">): Promise<string> {
  const tools = await mkdtemp(join(context.temporaryDirectory, "claims-exec-"));
  onEnd(() => rm(tools, { recursive: true, force: true }));
  await putOwnCommand(context, tools);
  return tools;
}

/**
 * Runs a command against a sandbox, and resolves to its exit code; 128 + the signal's number where a signal ended it, as a
 * shell has it.
 */
export async function runChild(
  context: Context,
  sandbox: Sandbox,
  { program, args }: Line,
  { tools, mode }: { readonly tools: string; readonly mode: ChildRequest["mode"] },
): Promise<number> {
  const env = {
    ...context.env,
    ...sandboxEnvironment(sandbox),
    PATH: [tools, context.env.PATH].filter(Boolean).join(delimiter),
  };
  const child = context.start({ command: program, args, env, mode });
  const ended = await end(context, child, program);
  return "code" in ended ? ended.code : 128 + (constants.signals[ended.signal as NodeJS.Signals] ?? 0);
}

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
