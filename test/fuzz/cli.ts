import { createRequire } from "node:module";
import { resolve } from "node:path";
import { PassThrough, type Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Context } from "../../src/cli/context.ts";

/** The command line as it is shipped: `npm run fuzz` and `npm test` build it first. */
const built: typeof import("../../src/cli/main.ts") = createRequire(resolve("package.json"))(
  "./dist/cli.cjs",
);

export const { run } = built;

/** A context on a terminal, without pauses, whose output is captured. */
export function createFuzzContext(folder: string, env: Readonly<Record<string, string>>) {
  const captured = { stdout: "", stderr: "" };
  const capture = (name: keyof typeof captured) => {
    const decoder = new StringDecoder("utf8");
    const writable = new Writable({
      write(chunk: Buffer, _, done) {
        captured[name] += decoder.write(chunk);
        done();
      },
    });
    return { writable, isTerminal: true, columns: 80 };
  };
  const stdin = new PassThrough();
  stdin.end();
  const created = built.createContext({
    runtime: `Node ${process.versions.node}`,
    self: [process.execPath, resolve("bin/claims.js")],
    tuneForShortRun: () => {},
    cwd: folder,
    signal: new AbortController().signal,
  });
  const context: Context = {
    ...created,
    stdin: { readable: stdin as Readable, isTerminal: false },
    stdout: capture("stdout"),
    stderr: capture("stderr"),
    env: { HOME: folder, TMPDIR: folder, CLAIMS_CONFIG_DIR: folder, NO_COLOR: "1", ...env },
    homeDirectory: folder,
    temporaryDirectory: folder,
    sleep: async () => {},
    start: () => {
      throw new Error("no command of the harness starts a process");
    },
  };
  return { context, captured };
}
