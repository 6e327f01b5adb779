import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { BIN, ROOT, SHELL_SCRIPT, temporaryFolder } from "../support/cli.ts";
import { sandboxForTest } from "../support/sandbox.ts";
import { countJobs } from "../support/sandbox-requests.ts";
import { createScenarioFile, forecastOutcome } from "../support/scenario-file.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

const fileOf = (name: string): string => readFileSync(join(ROOT, "docs/examples", name), "utf8");

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
  writeFileSync(join(folder, "key", "api-key"), sandbox.credentials.sandbox.apiKey, { mode: 0o600 });
  return { folder, sandbox };
}

type Machine = Awaited<ReturnType<typeof prepareMachine>>;

/** A folder with the files, and the service that they name. */
interface Place {
  readonly folder: string;
  readonly sandbox: { readonly url: string };
}

/** The program in a store, as the variables of `install.sh` name it. */
function downloadOf({ folder }: Machine) {
  writeFileSync(join(folder, "stored"), SHELL_SCRIPT);
  const sum = createHash("sha256").update(SHELL_SCRIPT).digest("hex");
  return { CLAIMS_URL: `file://${join(folder, "stored")}`, CLAIMS_SHA256: sum };
}

/** Runs a command with these variables alone. */
function runCommand(
  { folder, sandbox }: Place,
  command: string,
  variables: Readonly<Record<string, string>>,
): Promise<{ code: number; output: string }> {
  const PATH = `${join(folder, "bin")}:${process.env.PATH}`;
  const env = { PATH, ...variables, SERVICE_URL: sandbox.url };
  return new Promise((resolve) =>
    // It would read ~/.bashrc, because its stdin is a socket.
    execFile("bash", ["--norc", "-c", command], { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    ),
  );
}

/** Runs what judges the exit code of a night, next to a `page.sh`. */
async function judge(command: string, variables: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "page.sh"), "touch paged\n");
  const { code } = await runCommand({ folder, sandbox: { url: "" } }, `set -e; ${command}`, variables);
  return { isRed: code !== 0, isPaged: existsSync(join(folder, "paged")) };
}

/** The files below a folder that hold a key. */
const findKey = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    return entry.isFile() && readFileSync(path, "utf8").includes("sk_sandbox_") ? [path] : [];
  });

/** The second night must know what the first one sent, and prints nothing more than the setup does. */
async function runTwoNights(machine: Machine, command: string, variables: Readonly<Record<string, string>>) {
  const first = await runCommand(machine, command, variables);
  expect(first.code, first.output).toBe(0);
  expect(first.output).toMatch(
    /1 submission: 1 completed; 1 of them sent by this run\nexit 0: every file is/,
  );
  expect(await runCommand(machine, command, variables)).toEqual({ code: 0, output: "" });
  expect(existsSync(join(machine.folder, "data/state/claims/writes.jsonl"))).toBe(true);
  expect(existsSync(join(machine.folder, "data/results/reports/june"))).toBe(true);
  expect(await countJobs(machine.sandbox)).toBe(1);
  expect(findKey(join(machine.folder, "data"))).toEqual([]);
}

/** A cache that got lost: the next night has the entry files alone. */
function loseLogs({ folder }: Machine): void {
  for (const name of ["state", "results", "entries.batch.jsonl"])
    rmSync(join(folder, "data", name), { recursive: true });
}

/** What each exit code of the night asks for; an empty one is that of a night that was ended from outside. */
const ACTS: readonly (readonly [act: "nothing" | "look" | "later" | "page", codes: readonly string[]])[] = [
  ["nothing", ["0"]],
  ["look", ["5", "9"]],
  ["later", ["6", "8", "129", "130", "143"]],
  ["page", ["1", "2", "4", "7", "10", "126", "127", "132", "137", "139", ""]],
];

const CODES = ACTS.flatMap(([act, codes]) => codes.map((code) => [code, act] as const));

describe("job.sh", () => {
  const TEXTS = { nothing: /^$/, look: /look at the files: \//, later: /try later/, page: /page someone/ };
  const VARIABLES = { DATA: "data", SELLER: "Acme", KEY_FILE: "../key/api-key" };

  it.each(CODES.filter(([code]) => code !== ""))("turns exit code %s into: %s", async (code, act) => {
    const machine = await prepareMachine();
    writeFileSync(join(machine.folder, "nightly.sh"), `exit ${code}\n`);
    const run = await runCommand(machine, "bash job.sh", VARIABLES);
    expect(run.code).toBe(Number(code));
    expect(run.output).toMatch(TEXTS[act]);
  });

  it("names the rejected entries of new jobs once, and where their rows are", async () => {
    const machine = await prepareMachine();
    const place = (name: string) => join(machine.folder, "data", name);
    const write = (name: string, seed: number) => {
      writeFileSync(place(`entries/${name}`), createScenarioFile("rejected-rows", seed, 140));
      utimesSync(place(`entries/${name}`), 1_700_000_000, 1_700_000_000);
    };
    const { rejected } = forecastOutcome("rejected-rows", "entry", 140);
    const lineOf = (name: string) =>
      `${name}: rejected entries: ${rejected}; their rows: ${place(`results/rejected/${name}`)}\n`;
    write("july.csv", 2);
    const first = await runCommand(machine, "bash job.sh", VARIABLES);
    expect(first.code, first.output).toBe(0);
    expect(first.output).toContain(lineOf("july.csv"));
    expect(readFileSync(place("results/rejected/july.csv"), "utf8").split("\n").length - 2).toBe(rejected);
    expect(await runCommand(machine, "bash job.sh", VARIABLES)).toEqual({ code: 0, output: "" });
    write("august.csv", 3);
    const third = await runCommand(machine, "bash job.sh", VARIABLES);
    expect(third.output).toContain(lineOf("august.csv"));
    expect(third.output).not.toContain("july.csv");
  });

  it("prints a command for an open decision that works when a person copies it", async () => {
    const jobId = randomUUID();
    const documents: Readonly<Record<string, object>> = {
      status: { jobId, state: "completed" },
      report: { jobId, contractVersion: "1", totals: { entriesRejected: 0 }, rf8Review: {} },
      dataset: { jobId, contractVersion: "1", rows: [] },
    };
    const service = await startScriptedService((request, response) => {
      const [, name = ""] = /\/diligence\/(\w+)\/[^/]+$/.exec(request.url ?? "") ?? [];
      // Accepted, and no word about the id.
      if (request.method === "POST") sendJson(response, 202, { state: "queued" });
      else sendJson(response, 200, documents[name] ?? {});
    });
    const { folder } = await prepareMachine();
    const machine = { folder: join(folder, "a b"), sandbox: service };
    mkdirSync(machine.folder);
    for (const name of ["bin", "data", "job.sh", "nightly.sh", "key"])
      renameSync(join(folder, name), join(machine.folder, name));
    const variables = { ...VARIABLES, CLAIMS_CONFIG_DIR: join(folder, "image") };
    const night = await runCommand(machine, "bash job.sh", variables);
    expect(night.code, night.output).toBe(10);
    const [, command = ""] = /^ {2}(.* claims history resolve \S+ --job-id ID)$/m.exec(night.output) ?? [];
    const HOME = temporaryFolder();
    const person = { HOME, CLAIMS_CONFIG_DIR: join(HOME, "another log") };
    const resolved = await runCommand(machine, `cd /; ${command.replace("ID", jobId)}`, person);
    expect(resolved.code, night.output + resolved.output).toBe(0);
    const listed = await runCommand(
      machine,
      `${command.split("claims")[0]} claims history --unknown`,
      person,
    );
    expect(listed).toEqual({ code: 0, output: "" });
    const posts = service.requests.filter(({ method }) => method === "POST");
    expect(posts).toHaveLength(1);
  });
});

it("install.sh installs nothing that has another sum", async () => {
  const machine = await prepareMachine();
  rmSync(join(machine.folder, "bin", "claims"));
  const download = { ...downloadOf(machine), CLAIMS_SHA256: "0".repeat(64) };
  expect(await runCommand(machine, "bash install.sh", download)).toMatchObject({ code: 1 });
  expect(existsSync(join(machine.folder, "bin", "claims"))).toBe(false);
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
    const variables = { ...env, CLAIMS_API_KEY: key, GITHUB_OUTPUT: "outputs" };
    await runTwoNights(machine, `set -e; ${night.run}`, variables);
    loseLogs(machine);
    expect((await runCommand(machine, `set -e; ${night.run}`, variables)).code).toBe(0);
    expect(await countJobs(machine.sandbox)).toBe(1);
    expect(readFileSync(join(machine.folder, "outputs"), "utf8")).toBe("code=0\n".repeat(3));
  });

  it.each(CODES)("GitHub Actions: exit code %j of the night means: %s", async (code, act) => {
    const { steps } = parse(fileOf("github.yml")).jobs.night;
    const { if: condition, env, run } = steps.at(-1);
    expect(condition).toBe("always()");
    expect(env.CODE).toContain("{ steps.night.outputs.code }");
    expect(await judge(run, { CODE: code })).toEqual({
      isRed: act === "look" || act === "page",
      isPaged: act === "page",
    });
  });

  it("GitLab CI: its script runs, and what the next night continues is a warning", async () => {
    const { night } = parse(fileOf("gitlab.yml"));
    expect(night.cache.paths).toEqual([night.variables.DATA]);
    expect(night.allow_failure.exit_codes.map(String)).toEqual(ACTS.find(([act]) => act === "later")?.[1]);
    expect(night.resource_group).toBe("claims");
    const machine = await prepareMachine();
    const command = ["set -e", ...night.before_script, ...night.script].join("\n");
    const variables = { ...downloadOf(machine), ...night.variables, KEY_FILE: "../key/api-key" };
    await runTwoNights(machine, command, variables);
    loseLogs(machine);
    expect((await runCommand(machine, command, variables)).code).toBe(0);
    expect(await countJobs(machine.sandbox)).toBe(1);
  });

  it.each(CODES)("GitLab CI: exit code %j of the night means: %s", async (code, act) => {
    const { night } = parse(fileOf("gitlab.yml"));
    // Nothing of the script remains if it was ended from outside.
    const script = code === "" ? "exit 0" : `bash() { return ${code}; }; ${night.script.join("\n")}`;
    const { isPaged } = await judge(`(${script}) || true; ${night.after_script.join("\n")}`, {});
    expect(isPaged).toBe(act === "page");
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
    const values = [6, 8, 129, 130, 143];
    expect(rule.onExitCodes).toEqual({ containerName: container.name, operator: "NotIn", values });
    const machine = await prepareMachine();
    const mount = (text: string) =>
      text.replace("/scripts", machine.folder).replace(/^\/(data|key)/, join(machine.folder, "$1"));
    const variables = Object.fromEntries(
      container.env.map(({ name, value }: { name: string; value: string }) => [name, mount(value)]),
    );
    // The image sets it, and the pod is gone in the morning.
    variables.CLAIMS_CONFIG_DIR = join(temporaryFolder(), "claims");
    await runTwoNights(machine, container.command.map(mount).join(" "), variables);
  });

  it("systemd: its service runs, and only what needs a person is a failure", async () => {
    const settings = new Map(
      [...fileOf("claims.service").matchAll(/^(\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [
        name,
        value,
      ]),
    );
    expect(settings.get("SuccessExitStatus")).toBe("5 6 8 9 129 130 143");
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
