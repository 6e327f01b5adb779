import type { Buffer } from "node:buffer";
import type { Sandbox } from "../../../../sandbox/index.ts";
import type { ProgramRun } from "../../../conformance/trial.ts";
import { ByteCollector } from "../../../domain/byte-collector.ts";
import { interruptedError } from "../../../domain/errors.ts";
import type { Context } from "../../context.ts";
import { type ExecCommand, waitForChild } from "../sandbox/exec/child.ts";

const MAX_OUTPUT_BYTES = 256 * 1024;

/** The time that a program has to end after Ctrl-C. */
const STOP_GRACE_MS = 2_000;

interface ProgramSettings {
  readonly command: ExecCommand;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Undefined: it may take any time. */
  readonly timeoutMs: number | undefined;
  readonly onOutput?: (chunk: Uint8Array) => void;
  /** Gets a function that ends the program for the scenario. */
  readonly onStart?: ((kill: () => void) => void) | undefined;
}

/** Runs the program once, without stdin. It and what it started end with the command. */
export async function runProgram(
  context: Context,
  sandbox: Sandbox,
  { command, env, timeoutMs, onOutput, onStart }: ProgramSettings,
): Promise<ProgramRun> {
  const [latest] = await sandbox.requests.list({ limit: 1 });
  const output = new ByteCollector();
  const child = context.start({
    command: command.program,
    args: command.args,
    env,
    mode: {
      kind: "captured",
      onOutput(chunk) {
        onOutput?.(chunk);
        output.append(chunk.subarray(0, MAX_OUTPUT_BYTES - output.length));
      },
    },
  });
  const over = new AbortController();
  let killedBy: ProgramRun["endedBy"] = "itself";
  const kill = (by: ProgramRun["endedBy"]) => {
    // Its process group may belong to another process by now.
    if (over.signal.aborted) return;
    killedBy = by;
    child.kill("SIGKILL");
  };
  const after = (ms: number, work: () => void) => void context.sleep(ms, over.signal).then(work, () => {});
  if (timeoutMs !== undefined) after(timeoutMs, () => kill("timeout"));
  onStart?.(() => kill("scenario"));
  const end = await waitForChild(context, child, command.program, () =>
    after(STOP_GRACE_MS, () => child.kill("SIGKILL")),
  ).finally(() => over.abort());
  if (context.signal.aborted) throw interruptedError(context.signal.reason);
  // None after a signal.
  const exitCode = "code" in end ? end.code : null;
  return {
    exitCode,
    // With an exit code, it was faster than the signal.
    endedBy: exitCode === null ? killedBy : "itself",
    ...redactOutput(sandbox, output.bytes()),
    openJobs: await listOpenJobs(sandbox),
    requests: (await readTraffic(context, sandbox)).filter(({ number }) => number > (latest?.number ?? 0)),
  };
}

const PAUSE_MS = 20;
const MAX_PAUSES = 25;

/** The requests of a program that has ended: the sandbox learns a moment later that their connections are closed. */
async function readTraffic({ sleep }: Context, { requests }: Sandbox) {
  for (let pauses = 0; pauses < MAX_PAUSES; pauses += 1) {
    const list = await requests.list();
    if (list.every(({ outcome }) => outcome !== "running")) return list;
    await sleep(PAUSE_MS);
  }
  return requests.list();
}

async function listOpenJobs(sandbox: Sandbox): Promise<readonly string[]> {
  await sandbox.idle();
  const tasks = sandbox.clock.agenda().filter(({ kind }) => kind.startsWith("job."));
  return [...new Set(tasks.map(({ subject }) => subject))];
}

const SECRET = /\b(?:(?:sk|cs|at)_(?:sandbox|production)_|whsec_)[\w-]{8,}/g;

function redactOutput({ controlToken }: Sandbox, bytes: Buffer) {
  const printed = bytes.toString("utf8");
  const output = printed.replaceAll(controlToken, "[redacted]").replace(SECRET, "[redacted]");
  return { output, showsCredential: output !== printed };
}
