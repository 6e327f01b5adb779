import { PassThrough, Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Context, OutputStream } from "../../src/cli/context.ts";
import { run } from "../../src/cli/program.ts";
import { localProcesses } from "../../src/process/identity.ts";
import { bareEnvironment, PROGRAM, temporaryFolder } from "./cli.ts";

class CapturedStream extends Writable {
  text = "";
  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.text += chunk.toString("utf8");
    done();
  }
}

const stream = (writable: Writable, columns: number): OutputStream => ({
  writable,
  isTerminal: true,
  columns,
});

/** Creates a context with a terminal, in this process: `typed` is its input, `stdout` and `stderr` capture its output. */
export function createTerminalContext(options: Partial<Context> & { readonly typed?: string } = {}) {
  const stdout = new CapturedStream();
  const stderr = new CapturedStream();
  const { typed, ...overrides } = options;
  const context: Context = {
    stdin: { readable: typed === undefined ? new PassThrough() : Readable.from([typed]), isTerminal: true },
    stdout: stream(stdout, 100),
    // Most tests compare messages, which would wrap.
    stderr: stream(stderr, 1_000),
    env: bareEnvironment(),
    cwd: temporaryFolder(),
    homeDirectory: temporaryFolder(),
    temporaryDirectory: temporaryFolder(),
    platform: process.platform,
    version: "0.0.0-test",
    ...PROGRAM,
    processes: { ...localProcesses(process, Date.now), statusOf: () => "alive" },
    signal: new AbortController().signal,
    start: () => {
      throw new Error("no child processes in this test");
    },
    run,
    now: Date.now,
    random: Math.random,
    sleep: (milliseconds, signal) => sleep(milliseconds, undefined, signal && { signal }),
    ...overrides,
  };
  return { context, stdout, stderr, run: (...args: string[]) => run(args, context) };
}

/** What a person at a terminal of 80 columns sees of a command, with the white space of its layout as single spaces. */
export async function show(env: Record<string, string>, ...args: string[]) {
  const { context, run: runThere, stdout, stderr } = createTerminalContext({ env });
  Object.assign(context.stdout, { columns: 80 });
  Object.assign(context.stderr, { columns: 80 });
  const code = await runThere(...args, "--no-color");
  const lines = stdout.text.split("\n");
  return { code, lines, text: (stdout.text + stderr.text).replaceAll(/\s+/g, " ") };
}
