import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { PROGRAM, RUNS_ON_NODE, runProcess, temporaryFolder } from "../support/cli.ts";

const LONG_AGO = new Date("2020-01-01T00:00:00Z");

const run = async (config: string, environment: Record<string, string> = {}) => {
  const { code, stdout, stderr } = await runProcess(["auth", "--help"], {
    env: { CLAIMS_CONFIG_DIR: config, NODE_COMPILE_CACHE: "", ...environment },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("Commands:");
};

/** Node 22 and newer have a folder of their own there. */
const OWN_NAME = /^[0-9a-f]{16}-v/;

const cacheFolder = (config: string) => join(config, "cache", "compile-cache");

/** Runs the command line once and returns the cache file that it saved. */
async function saveCache(config: string): Promise<string> {
  await run(config);
  const [name = "", ...others] = readdirSync(cacheFolder(config));
  expect(others).toEqual([]);
  return join(cacheFolder(config), name);
}

// The one file without Node has bytecode.
describe.skipIf(!RUNS_ON_NODE)("the compile cache", () => {
  it("is one file that only the user can read, and a second run does not rewrite it", async () => {
    const config = temporaryFolder();
    const file = await saveCache(config);
    expect([statSync(cacheFolder(config)).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
    utimesSync(file, new Date(), LONG_AGO);
    await run(config);
    expect(statSync(file).mtime).toEqual(LONG_AGO);
  });

  it("is complete after one run of `sandbox exec` with a command that changes the flags of V8", async () => {
    const config = temporaryFolder();
    const runBoth = async () => {
      const args = ["sandbox", "exec", "--", ...PROGRAM.self, "clients", "list"];
      const env = { CLAIMS_CONFIG_DIR: config, NODE_COMPILE_CACHE: "" };
      expect(await runProcess(args, { env })).toMatchObject({ code: 0 });
    };
    await runBoth();
    const [file = ""] = readdirSync(cacheFolder(config));
    utimesSync(join(cacheFolder(config), file), new Date(), LONG_AGO);
    await runBoth();
    expect(statSync(join(cacheFolder(config), file)).mtime).toEqual(LONG_AGO);
  });

  it.each([
    ["empty", () => Buffer.alloc(0)],
    ["not a cache", () => Buffer.from("[1]\n")],
    ["with a length below zero", () => Buffer.from('[["/cli.cjs",-5]]\n')],
    ["with a length beyond its end", () => Buffer.from('[["/cli.cjs",1e15]]\n')],
    ["truncated", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ["of another V8", (bytes: Buffer) => Buffer.from(bytes).fill(0, bytes.indexOf("\n") + 1)],
  ])("is rewritten if it is %s", async (_, damage) => {
    const config = temporaryFolder();
    const file = await saveCache(config);
    writeFileSync(file, damage(readFileSync(file)));
    utimesSync(file, new Date(), LONG_AGO);
    await run(config);
    expect(statSync(file).mtime).not.toEqual(LONG_AGO);
  });

  it("is written to the folder of NODE_COMPILE_CACHE", async () => {
    const config = temporaryFolder();
    const folder = join(temporaryFolder(), "of", "node");
    await run(config, { NODE_COMPILE_CACHE: folder });
    expect(readdirSync(config)).toEqual([]);
    expect(readdirSync(folder).filter((name) => OWN_NAME.test(name))).toHaveLength(1);
  });

  it("is kept apart for runs with other flags of V8", async () => {
    const config = temporaryFolder();
    await run(config);
    await run(config, { NODE_OPTIONS: "--max-old-space-size=2000" });
    const names = readdirSync(cacheFolder(config));
    expect(names).toHaveLength(2);
    for (const name of names) utimesSync(join(cacheFolder(config), name), new Date(), LONG_AGO);
    await run(config);
    await run(config, { NODE_OPTIONS: "--max-old-space-size=2000" });
    for (const name of names) expect(statSync(join(cacheFolder(config), name)).mtime).toEqual(LONG_AGO);
  });

  it("is used in a folder that others can read", async () => {
    const config = temporaryFolder();
    mkdirSync(cacheFolder(config), { recursive: true, mode: 0o755 });
    await run(config);
    expect(readdirSync(cacheFolder(config))).toHaveLength(1);
  });

  it("is not written with NODE_DISABLE_COMPILE_CACHE", async () => {
    const config = temporaryFolder();
    await run(config, { NODE_DISABLE_COMPILE_CACHE: "1" });
    expect(readdirSync(config)).toEqual([]);
  });

  it("is not used in a folder that others can write", async () => {
    const config = temporaryFolder();
    mkdirSync(cacheFolder(config), { recursive: true });
    chmodSync(cacheFolder(config), 0o777);
    await run(config);
    expect(readdirSync(cacheFolder(config))).toEqual([]);
  });

  it("loses the files of builds that have not run for a week", async () => {
    const config = temporaryFolder();
    const file = await saveCache(config);
    const names = ["0123456789abcdef-v20.19.0-x64", "of-another-program"];
    for (const name of names) {
      const old = join(cacheFolder(config), name);
      writeFileSync(old, "");
      utimesSync(old, LONG_AGO, LONG_AGO);
    }
    writeFileSync(file, "");
    await run(config);
    expect(readdirSync(cacheFolder(config))).toEqual([basename(file), "of-another-program"]);
  });

  it("is not required: the command runs if the cache folder cannot be created", async () => {
    const config = temporaryFolder();
    writeFileSync(join(config, "cache"), "a file");
    await run(config);
    expect(readFileSync(join(config, "cache"), "utf8")).toBe("a file");
  });

  it.skipIf(!existsSync("/proc/self"))("does not hang in a folder that cannot have children", async () => {
    await run("/proc/claims");
  });
});
