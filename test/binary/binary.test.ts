import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type CliOptions,
  type CliResult,
  PROGRAM,
  RUNS_ON_NODE,
  runProcess,
  temporaryFolder,
} from "../support/cli.ts";

/** The one file without Node; `.ci/binary` builds it and names it in `CLAIMS_TEST_PROGRAM`. */
const [FILE] = PROGRAM.self;

type Run = (...args: string[]) => Promise<Pick<CliResult, "code" | "stdout">>;

/** Runs a program of the system. */
const execute = (program: string, args: readonly string[], env: CliOptions["env"]): ReturnType<Run> =>
  new Promise((resolve) =>
    execFile(program, args, { env }, (error, stdout) =>
      resolve({ code: error ? Number(error.code ?? 128) : 0, stdout }),
    ),
  );

/** A machine on which no program can be found. */
function prepareMachine(cwd = temporaryFolder()): Run {
  const home = temporaryFolder();
  const env = { PATH: "/nonexistent", HOME: home, TMPDIR: home };
  return (...args) => runProcess(args, { cwd, env });
}

/** The tour of the README, and what else a person with nothing but the file does. */
async function takeTour(run: Run, secretFile: string) {
  const succeed = async (...args: string[]) => {
    const result = await run(...args);
    expect(result, args.join(" ")).toMatchObject({ code: 0 });
    return result.stdout;
  };
  expect(await succeed("demo")).toContain("estimated claim");
  await succeed("sandbox", "up", "--detach", "--port", "0");
  try {
    await succeed("sandbox", "csv", "--out", "entries.csv");
    await succeed("diligence", "check", "entries.csv", "--seller-name", "Acme");
    const job = await succeed("diligence", "submit", "entries.csv", "--seller-name", "Acme", "--wait", "-q");
    expect(await succeed("diligence", "status", job.trim(), "--fields", "state")).toBe("completed\n");
    const delivery = await succeed("sandbox", "emit", "partner.test", "-q");
    await succeed("sandbox", "wait", "--delivery", delivery.trim(), "--status", "delivered");
    const secret = /whsec_[^'"\s]+/.exec(await succeed("sandbox", "env"))?.[0] ?? "";
    writeFileSync(secretFile, secret);
    const signed = ["--delivery", delivery.trim(), "--secret-file", "secret.txt"];
    expect(await succeed("webhooks", "verify", ...signed, "-q")).toBe("valid\n");
  } finally {
    await succeed("sandbox", "down");
  }
}

describe.skipIf(RUNS_ON_NODE)("the one file without Node", () => {
  it("has the sum that is beside it", () => {
    const sums = readFileSync(join(dirname(FILE), "SHA256SUMS"), "utf8");
    const sum = createHash("sha256").update(readFileSync(FILE)).digest("hex");
    expect(sums).toContain(`${sum}  ${basename(FILE)}\n`);
    expect(readFileSync(join(dirname(FILE), "THIRD_PARTY_LICENSES"), "utf8")).toMatch(
      /JavaScriptCore[\s\S]*GNU LIBRARY GENERAL PUBLIC LICENSE/,
    );
  });

  it("says what it is", async () => {
    const run = prepareMachine();
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    expect((await run("--version")).stdout).toBe(`${version}\n`);
    expect((await run("--version", "-v")).stdout).toMatch(/^\S+ on Bun \d+\.\d+\.\d+, in one file\n$/);
    expect((await run("doctor", "--json")).stdout).toContain(`claims ${version} on Bun `);
  });

  it("takes the tour where no program is found", async () => {
    const folder = temporaryFolder();
    await takeTour(prepareMachine(folder), join(folder, "secret.txt"));
  });

  it("grades a client, which finds the file by its name", async () => {
    const folder = temporaryFolder();
    writeFileSync(
      join(folder, "client"),
      "#!/bin/sh\nclaims diligence submit entries.csv --seller-name A\n",
      { mode: 0o755 },
    );
    const graded = await prepareMachine(folder)(
      "conformance",
      "--only",
      "submit.multipart",
      "--",
      "./client",
    );
    expect(graded).toMatchObject({ code: 7 });
  });

  it("prints completion", async () => {
    const run = prepareMachine();
    expect((await run("completion", "bash")).stdout).toContain("complete");
  });

  it("reads no file of the current folder, and no option of Node", async () => {
    const folder = temporaryFolder();
    const files = {
      ".env": "CLAIMS_BASE_URL=http://stranger.example\nCLAIMS_API_KEY=sk_sandbox_stranger\n",
      ".env.local": "CLAIMS_BASE_URL=http://stranger.example\n",
      "bunfig.toml": 'preload = ["./stranger.js"]\n',
      "package.json": '{ "name": "claims", "main": "./stranger.js", "type": "module" }',
      "tsconfig.json": '{ "compilerOptions": { "paths": { "*": ["./stranger.js"] } } }',
      "stranger.js": `require("node:fs").writeFileSync(${JSON.stringify(join(folder, "ran"))}, "");`,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const preload = join(folder, "stranger.js");
    const env = {
      ...{ HOME: folder, NODE_OPTIONS: `--require ${preload}`, NODE_PATH: folder },
      ...{ BUN_CONFIG_PRELOAD: preload, BUN_INSPECT_PRELOAD: preload },
    };
    const doctor = await runProcess(["doctor", "--json"], { cwd: folder, env });
    expect(doctor.stdout).toContain("no service is named");
    expect(doctor.stdout).not.toContain("stranger");
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });

  it("takes the tour where there is nothing but the C library", async ({ skip }) => {
    const root = temporaryFolder();
    const { stdout: libraries } = await execute("ldd", [FILE], process.env);
    const paths = [...libraries.matchAll(/(\/\S+) \(0x/g)].map(([, path = ""]) => path);
    expect(paths.length).toBeGreaterThan(1);
    for (const path of paths) cpSync(path, join(root, path), { dereference: true });
    for (const folder of ["proc", "dev", "tmp", "home"]) mkdirSync(join(root, folder));
    cpSync(FILE, join(root, "claims"));
    const script = `mount --rbind /dev '${root}/dev' && mount --rbind /proc '${root}/proc' && cd '${root}/home' && exec chroot '${root}' /claims "$@"`;
    const enter = ["--mount", "--map-root-user", "sh", "-c", script, "sh"];
    const env = { HOME: "/home", PATH: process.env.PATH };
    const run = (...args: string[]) => execute("unshare", [...enter, ...args], env);
    const { code } = await run("--version");
    skip(code !== 0, "a root folder without Node is NOT tested: needs unshare(1) and the right to use it");
    await takeTour(run, join(root, "secret.txt"));
  });
});
