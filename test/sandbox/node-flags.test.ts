import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "vitest";
import { ROOT } from "../support/cli.ts";
import { itEachFirst } from "../support/large.ts";

const SCRIPT = `require("./dist/sandbox.cjs").startSandbox().catch(({ code, message }) => console.log(code, message))`;

itEachFirst([["--jitless"], ["--disallow-code-generation-from-strings"], ["--frozen-intrinsics"]])(
  "names %s, under which no sandbox starts",
  async (flag) => {
    const { stdout } = await promisify(execFile)(process.execPath, [flag, "-e", SCRIPT], { cwd: ROOT });
    expect(stdout).toBe(`node_flag the sandbox cannot run with ${flag} of Node\n`);
  },
);
