import { PassThrough, Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Context, OutputStream } from "../../src/cli/context.ts";
import { run } from "../../src/cli/program.ts";
import { localProcesses } from "../../src/process/identity.ts";
import { BIN, bareEnvironment, ROOT, temporaryFolder } from "./cli.ts";

class Captured extends Writable {
  text = "";
  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.text += chunk.toString("utf8");
    done();
  }
}

const stream = (writable: Writable, isTerminal: boolean): OutputStream => ({
  writable,
  isTerminal,
  columns: 100,
});

/** A person at a terminal, in this process: what they type, and what they see. */
export function createTerminalContext(changes: Partial<Context> & { readonly typed?: string } = {}) {
  const stdout = new Captured();
  const stderr = new Captured();
  const { typed, ...given } = changes;
  const context: Context = {
    stdin: { readable: typed === undefined ? new PassThrough() : Readable.from([typed]), isTerminal: true },
    stdout: stream(stdout, true),
    stderr: stream(stderr, true),
    env: bareEnvironment(),
    cwd: temporaryFolder(),
    homeDirectory: temporaryFolder(),
    temporaryDirectory: temporaryFolder(),
    platform: process.platform,
    packageDirectory: ROOT,
    version: "0.0.0-test",
    nodeVersion: process.versions.node,
    self: { node: process.execPath, script: BIN },
    processes: { ...localProcesses(process, Date.now), statusOf: () => "alive" },
    signal: new AbortController().signal,
    tuneForShortRun: () => {},
    start: () => {
      throw new Error("no child processes in this test");
    },
    now: Date.now,
    random: Math.random,
    sleep: (milliseconds, signal) => sleep(milliseconds, undefined, signal && { signal }),
    ...given,
  };
  return {
    context,
    stdout,
    stderr,
    run: (...args: string[]) => run(args, context),
  };
}
