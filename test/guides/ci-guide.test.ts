import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { BIN, ROOT, SHELL_SCRIPT, temporaryFolder } from "../support/cli.ts";
import { parseBlocks } from "../support/guide-blocks.ts";
import { sandboxForTest } from "../support/sandbox.ts";
import { countJobs } from "../support/sandbox-requests.ts";
import { createScenarioFile } from "../support/scenario-file.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

/** The files of a guide by name. */
const readFiles = (guide: string): ReadonlyMap<string, string> =>
  new Map(
    parseBlocks(readFileSync(join(ROOT, "docs/guides", guide), "utf8")).flatMap(({ role, text }) =>
      role.startsWith("file=") ? [[role.slice("file=".length), text] as const] : [],
    ),
  );

const FILES = new Map([...readFiles("submit.md"), ...readFiles("ci.md")]);
const fileOf = (name: string): string => FILES.get(name) ?? "";

/** A machine with the scripts, a file of entries and the key of a sandbox. */
async function prepareMachine() {
  const folder = temporaryFolder();
  const sandbox = await sandboxForTest();
  for (const path of ["bin", "data/entries", "key"]) mkdirSync(join(folder, path), { recursive: true });
  symlinkSync(BIN, join(folder, "bin", "claims"));
  for (const name of ["install.sh", "job.sh", "nightly.sh"]) writeFileSync(join(folder, name), fileOf(name));
  const entries = join(folder, "data", "entries", "june.csv");
  writeFileSync(entries, createScenarioFile("clean", 1));
  utimesSync(entries, 1_700_000_000, 1_700_000_000);
  writeFileSync(join(folder, "key", "api-key"), sandbox.credentials.sandbox.apiKey);
  return { folder, sandbox };
}

type Machine = Awaited<ReturnType<typeof prepareMachine>>;

/** The program in a store, as the variables of `install.sh` name it. */
function downloadOf({ folder }: Machine) {
  writeFileSync(join(folder, "stored"), SHELL_SCRIPT);
  const sum = createHash("sha256").update(SHELL_SCRIPT).digest("hex");
  return { CLAIMS_URL: `file://${join(folder, "stored")}`, CLAIMS_SHA256: sum };
}

/** Runs a command with these variables alone. */
function runCommand(
  { folder, sandbox }: Machine,
  command: string,
  variables: Readonly<Record<string, string>>,
): Promise<{ code: number; output: string }> {
  const PATH = `${join(folder, "bin")}:${process.env.PATH}`;
  const env = { PATH, ...variables, SERVICE_URL: sandbox.url };
  return new Promise((resolve) =>
    execFile("bash", ["-c", command], { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    ),
  );
}

/** The files below a folder that hold a key. */
const findKey = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    return entry.isFile() && readFileSync(path, "utf8").includes("sk_sandbox_") ? [path] : [];
  });

/** The second night must know what the first one sent. */
async function runTwoNights(machine: Machine, command: string, variables: Readonly<Record<string, string>>) {
  for (const _ of ["first", "second"]) {
    const { code, output } = await runCommand(machine, command, variables);
    expect(code, output).toBe(0);
  }
  expect(existsSync(join(machine.folder, "data/results/reports/june"))).toBe(true);
  expect(await countJobs(machine.sandbox)).toBe(1);
  expect(findKey(join(machine.folder, "data"))).toEqual([]);
}

describe("job.sh", () => {
  it.each([
    [0, "nothing to do"],
    [5, "look at the files"],
    [9, "look at the files"],
    [6, "try later"],
    [8, "try later"],
    [10, "page someone"],
    [4, "page someone"],
    [2, "page someone"],
    [1, "page someone"],
  ])("turns exit code %i into: %s", async (code, act) => {
    const machine = await prepareMachine();
    writeFileSync(join(machine.folder, "nightly.sh"), `exit ${code}\n`);
    const run = await runCommand(machine, "bash job.sh", { DATA: "data", SELLER: "Acme", KEY_FILE: "key" });
    expect(run.code).toBe(code);
    expect(run.output).toMatch(new RegExp(`^exit ${code}: ${act}`));
  });
});

describe("install.sh", () => {
  it("installs nothing that has another sum", async () => {
    const machine = await prepareMachine();
    rmSync(join(machine.folder, "bin", "claims"));
    const download = { ...downloadOf(machine), CLAIMS_SHA256: "0".repeat(64) };
    expect(await runCommand(machine, "bash install.sh", download)).toMatchObject({ code: 1 });
    expect(existsSync(join(machine.folder, "bin", "claims"))).toBe(false);
  });
});

describe("the action", () => {
  const { inputs, runs } = parse(readFileSync(join(ROOT, "build/action/action.yml"), "utf8"));
  const steps: readonly { run: string; env: Record<string, string> }[] = runs.steps;

  it("has a default for no input, and passes each one by the environment", () => {
    for (const input of Object.values(inputs)) expect(input).toMatchObject({ required: true });
    for (const input of Object.values(inputs)) expect(input).not.toHaveProperty("default");
    for (const { run } of steps) expect(run).not.toContain("${{");
    const passed = steps.flatMap(
      ({ env }) =>
        Object.values(env)
          .join(" ")
          .match(/inputs\.[\w-]+/g) ?? [],
    );
    expect(passed.sort()).toEqual(
      Object.keys(inputs)
        .map((name) => `inputs.${name}`)
        .sort(),
    );
  });

  /** Runs the steps on a runner that has nothing but the checkout, until one fails. */
  async function runAction(machine: Machine, changed: Readonly<Record<string, string>>) {
    const { CLAIMS_URL: url, CLAIMS_SHA256: sha256 } = downloadOf(machine);
    const given: Record<string, string> = {
      ...{ url, sha256, "base-url": machine.sandbox.url, file: "data/entries/june.csv", seller: "Acme" },
      ...{ key: machine.sandbox.credentials.sandbox.apiKey, ...changed },
    };
    const home = temporaryFolder();
    const outputs = join(home, "outputs");
    const variables = { RUNNER_TEMP: home, GITHUB_OUTPUT: outputs, HOME: home };
    let ended = { code: 0, output: "" };
    for (const { run, env } of steps) {
      const filled = Object.entries(env).map(([name, value]) => [
        name,
        value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/, (_, input: string) => given[input] ?? ""),
      ]);
      ended = await runCommand(machine, `set -eo pipefail; ${run}`, {
        ...variables,
        ...Object.fromEntries(filled),
      });
      if (ended.code !== 0) break;
    }
    return { ...ended, outputs: existsSync(outputs) ? readFileSync(outputs, "utf8") : null };
  }

  it.each([
    ["submits the file and names its job", {}, 0, /^job-id=[\w-]{36}\n$/],
    ["fails as the command does", { file: "missing.csv" }, 2, /^job-id=\n$/],
    ["runs nothing that has another sum", { sha256: "0".repeat(64) }, 1, null],
  ])("%s", async (_, changed, code, outputs) => {
    const ran = await runAction(await prepareMachine(), changed);
    expect(ran.code, ran.output).toBe(code);
    if (outputs) expect(ran.outputs).toMatch(outputs);
    else expect(ran.outputs).toBeNull();
  });

  it("makes one job on two fresh runners, the first of which loses the response", async () => {
    const jobs = new Map<string, string>();
    const sentKeys: string[] = [];
    const { url } = await startScriptedService(
      (request, response) => {
        const [, id] = /\/(?:status|report)\/(.*)$/.exec(request.url ?? "") ?? [];
        if (id !== undefined)
          return sendJson(response, 200, { jobId: id, state: "completed", rf8Review: { outcome: "clear" } });
        // Without a key, each request is another job.
        const key = String(request.headers["idempotency-key"] ?? randomUUID());
        const job = jobs.get(key) ?? randomUUID();
        jobs.set(key, job);
        if (sentKeys.push(key) === 1) request.socket.destroy();
        else sendJson(response, 202, { jobId: job, state: "queued" });
      },
      { keepsKeys: true },
    );
    const machine = await prepareMachine();
    const first = await runAction(machine, { "base-url": url });
    expect([first.code, first.outputs], first.output).toEqual([6, "job-id=\n"]);
    const second = await runAction(machine, { "base-url": url });
    expect(second.code, second.output).toBe(0);
    expect(sentKeys).toHaveLength(2);
    expect([...jobs.values()].map((job) => `job-id=${job}\n`)).toEqual([second.outputs]);
  });
});

describe("the files of the guide", () => {
  it("GitHub Actions: its steps run, and say who acts", async () => {
    const { concurrency, jobs } = parse(fileOf("github.yml"));
    expect(concurrency["cancel-in-progress"]).toBe(false);
    const { env, steps } = jobs.night;
    const install = steps.find(({ run = "" }: { run?: string }) => run.startsWith("bash install.sh"));
    expect(Object.keys(install.env)).toEqual(["CLAIMS_URL", "CLAIMS_SHA256"]);
    for (const { uses = "", with: inputs } of steps)
      if (uses.startsWith("actions/cache/")) expect(inputs.path).toBe(env.DATA);
    const night = steps.find(({ id }: { id?: string }) => id === "night");
    expect(night.env.CLAIMS_API_KEY).toContain("secrets.");
    const machine = await prepareMachine();
    const installed = await runCommand(machine, install.run, { ...downloadOf(machine), GITHUB_PATH: "path" });
    expect(installed.code, installed.output).toBe(0);
    expect(readFileSync(join(machine.folder, "path"), "utf8")).toBe(`${machine.folder}/bin\n`);
    const key = machine.sandbox.credentials.sandbox.apiKey;
    await runTwoNights(machine, `set -e; ${night.run}`, {
      ...env,
      CLAIMS_API_KEY: key,
      GITHUB_OUTPUT: "outputs",
    });
    expect(readFileSync(join(machine.folder, "outputs"), "utf8")).toBe("code=0\ncode=0\n");
    const [pages, fails] = steps
      .slice(-2)
      .map((step: { if: string }) => JSON.parse(/'(.*)'/.exec(step.if)?.[1] ?? ""));
    expect([pages, fails]).toEqual([
      ["1", "2", "4", "10"],
      ["1", "2", "4", "5", "9", "10"],
    ]);
  });

  it("GitLab CI: its script runs, and 6 and 8 are warnings", async () => {
    const { night } = parse(fileOf("gitlab.yml"));
    expect(night.cache.paths).toEqual([night.variables.DATA]);
    expect(night.allow_failure.exit_codes).toEqual([6, 8]);
    expect(night.resource_group).toBe("claims");
    const machine = await prepareMachine();
    await runTwoNights(machine, ["set -e", ...night.before_script, ...night.script].join("\n"), {
      ...downloadOf(machine),
      ...night.variables,
      KEY_FILE: "../key/api-key",
    });
  });

  it("Kubernetes: its command runs without a home, and each mount has its volume", async () => {
    const { spec } = parse(fileOf("cronjob.yaml"));
    expect(spec.concurrencyPolicy).toBe("Forbid");
    const pod = spec.jobTemplate.spec.template.spec;
    const [container] = pod.containers;
    const named = (list: readonly { name: string }[]) => list.map(({ name }) => name).sort();
    expect(named(container.volumeMounts)).toEqual(named(pod.volumes));
    expect(container.securityContext.readOnlyRootFilesystem).toBe(true);
    const [rule] = spec.jobTemplate.spec.podFailurePolicy.rules;
    expect(rule.onExitCodes).toEqual({ containerName: container.name, operator: "NotIn", values: [6, 8] });
    const machine = await prepareMachine();
    const mount = (text: string) =>
      text.replace("/scripts", machine.folder).replace(/^\/(data|key)/, join(machine.folder, "$1"));
    const variables = Object.fromEntries(
      container.env.map(({ name, value }: { name: string; value: string }) => [name, mount(value)]),
    );
    await runTwoNights(machine, container.command.map(mount).join(" "), variables);
  });

  it("systemd: its service runs, and only what needs a person is a failure", async () => {
    const settings = new Map(
      [...fileOf("claims.service").matchAll(/^(\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [
        name,
        value,
      ]),
    );
    expect(settings.get("SuccessExitStatus")).toBe("5 6 8 9");
    const machine = await prepareMachine();
    const variables = Object.fromEntries(
      (settings.get("Environment") ?? "")
        .replace("%S/claims", join(machine.folder, "data"))
        .replace("%d", join(machine.folder, "key"))
        .split(" ")
        .map((pair) => pair.split("=", 2)),
    );
    const command = (settings.get("ExecStart") ?? "").replace("/srv/claims", machine.folder);
    await runTwoNights(machine, command, variables);
    expect(fileOf("claims.timer")).toContain("OnCalendar=*-*-* 02:15");
  });

  it("cron: its line runs", async () => {
    const machine = await prepareMachine();
    const [, command = ""] = /^15 2 \* \* \* +(.*)$/m.exec(fileOf("crontab")) ?? [];
    const line = command
      .replaceAll("/srv/claims", machine.folder)
      .replace("/etc/claims", join(machine.folder, "key"))
      .replace("https://partners.example.com", machine.sandbox.url);
    await runTwoNights(machine, line, { HOME: machine.folder });
  });
});
