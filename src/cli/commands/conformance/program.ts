import type { Buffer } from "node:buffer";
import type { Sandbox } from "../../../../sandbox/index.ts";
import type { ProgramRun } from "../../../conformance/trial.ts";
import { ByteCollector } from "../../../domain/byte-collector.ts";
import type { Context } from "../../context.ts";
import { type ExecCommand, waitForChild } from "../sandbox/exec/child.ts";

const MAX_OUTPUT_BYTES = 256 * 1024;

/** The time that a program has to end after Ctrl-C. */
const STOP_GRACE_MS = 2_000;

export interface ProgramResult extends Pick<ProgramRun, "exitCode" | "endedBy"> {
  /** The first 256 KiB. */
  readonly output: Buffer;
}

interface ProgramSettings {
  readonly command: ExecCommand;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string | undefined;
  /** Undefined: it may take any time. */
  readonly timeoutMs: number | undefined;
  readonly onOutput?: (chunk: Uint8Array) => void;
}

export interface RunningProgram {
  readonly ended: Promise<ProgramResult>;
  kill(): void;
}

/** Starts the program without stdin. It and what it started end with the command. */
export function startProgram(context: Context, settings: ProgramSettings): RunningProgram {
  const { command, env, cwd, timeoutMs, onOutput } = settings;
  const { sleep } = context;
  const output = new ByteCollector();
  const child = context.start({
    command: command.program,
    args: command.args,
    env,
    cwd,
    mode: {
      kind: "captured",
      onOutput(chunk) {
        onOutput?.(chunk);
        output.append(chunk.subarray(0, MAX_OUTPUT_BYTES - output.length));
      },
    },
  });
  let endedBy: ProgramRun["endedBy"] = "itself";
  let hasEnded = false;
  const kill = (by: ProgramRun["endedBy"]) => {
    // Its process group may belong to another process by now.
    if (hasEnded) return;
    endedBy = by;
    child.kill("SIGKILL");
  };
  const waitForEnd = async (): Promise<ProgramResult> => {
    const over = new AbortController();
    const after = (ms: number, work: () => void) => void sleep(ms, over.signal).then(work, () => {});
    if (timeoutMs !== undefined) after(timeoutMs, () => kill("timeout"));
    const end = await waitForChild(context, child, command.program, () =>
      after(STOP_GRACE_MS, () => child.kill("SIGKILL")),
    ).finally(() => over.abort());
    // None after a signal.
    const exitCode = "code" in end ? end.code : null;
    hasEnded = true;
    // With an exit code, it was faster than the signal.
    if (exitCode !== null) endedBy = "itself";
    return { exitCode, endedBy, output: output.bytes() };
  };
  return { ended: waitForEnd(), kill: () => kill("scenario") };
}

const REDACTED = "[redacted]";
const SECRET = /\b(?:(?:sk|cs|at)_(?:sandbox|production)_|whsec_)[\w-]{8,}/g;

export function redactOutput({ credentials, controlToken }: Sandbox, bytes: Buffer) {
  const { sandbox, production, otherPartner, webhook, unapproved } = credentials;
  const secrets = [
    sandbox.apiKey,
    sandbox.clientSecret,
    production.apiKey,
    otherPartner.apiKey,
    webhook.signingSecret,
    unapproved.clientSecret,
    controlToken,
  ];
  const printed = bytes.toString("utf8");
  const text = secrets.reduce((kept, secret) => kept.replaceAll(secret, REDACTED), printed);
  const output = text.replace(SECRET, REDACTED);
  return { output, showsCredential: output !== printed };
}
