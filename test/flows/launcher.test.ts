import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bareEnvironment, RUNS_ON_NODE, runProcess, temporaryFolder } from "../support/cli.ts";
import { sandboxForTest } from "../support/sandbox.ts";

/** Appends each flag of V8 that the program sets to the file FLAGS. */
const RECORD_FLAGS = `
const { appendFileSync } = require("node:fs");
const v8 = require("node:v8");
const { setFlagsFromString } = v8;
v8.setFlagsFromString = (flag) => {
  appendFileSync(process.env.FLAGS, flag + "\\n");
  setFlagsFromString(flag);
};
`;

// The one file without Node has a launcher of its own.
describe.skipIf(!RUNS_ON_NODE)("bin/claims.js", () => {
  it("leaves no file behind, so that the next run executes what was installed", async () => {
    const home = temporaryFolder();
    const { code } = await runProcess(["auth", "--help"], {
      env: { ...bareEnvironment(home), XDG_CACHE_HOME: home },
    });
    expect(code).toBe(0);
    expect(readdirSync(home, { recursive: true })).toEqual([]);
  });

  it("sets the flag that spares a command the optimization of WebAssembly on Node 20 alone", async () => {
    const { url, credentials } = await sandboxForTest();
    const folder = temporaryFolder();
    const [recorder, flags] = [join(folder, "record-flags.cjs"), join(folder, "flags")];
    writeFileSync(recorder, RECORD_FLAGS);
    writeFileSync(flags, "");
    const { code } = await runProcess(["clients", "list"], {
      env: {
        ...bareEnvironment(folder),
        CLAIMS_BASE_URL: url,
        CLAIMS_API_KEY: credentials.sandbox.apiKey,
        NODE_OPTIONS: `--require ${recorder}`,
        FLAGS: flags,
      },
    });
    expect(code).toBe(0);
    const isNode20 = process.versions.node.startsWith("20.");
    expect(readFileSync(flags, "utf8")).toBe(isNode20 ? "--liftoff-only\n" : "");
  });
});
