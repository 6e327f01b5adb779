// Starts programs, and reads their memory and processor time from /proc.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const CLAIMS = join(ROOT, "bin/claims.js");
const POLL_MS = 50;

/** Load generator and server run on different cores. */
export const LOAD_CORE = 0;
export const SERVER_CORE = 1;

/** @typedef {import("node:child_process").ChildProcess} ChildProcess */

/** @param {string} name of a program in floors/ */
export const floorProgram = (name) => fileURLToPath(new URL(`floors/${name}`, import.meta.url));

/** @param {string} name */
export const fixture = (name) => join(ROOT, "fixtures", name);

/** A folder for all files of the benchmark. */
export const workFolder = mkdtempSync(join(tmpdir(), "claims-bench-"));
process.once("exit", () => rmSync(workFolder, { recursive: true, force: true }));

/**
 * The environment of a user without a configuration. It omits NODE_EXTRA_CA_CERTS, which Node 20 parses at every start.
 * @type {Record<string, string>}
 */
const environment = {
  PATH: process.env.PATH ?? "",
  HOME: workFolder,
  TMPDIR: workFolder,
  CLAIMS_CONFIG_DIR: join(workFolder, "config"),
};

const TASKSET = "/usr/bin/taskset";
/** Whether programs can be bound to one core. */
const canPin = existsSync(TASKSET);

/**
 * Binds the benchmark itself to a core while `work` runs.
 * @template T
 * @param {number} core
 * @param {() => Promise<T>} work
 */
export async function runOnCore(core, work) {
  if (!canPin) return work();
  const all = /: ([\d,-]+)$/m.exec(taskset("-cp", String(process.pid)))?.[1] ?? "0";
  taskset("-acp", String(core), String(process.pid));
  try {
    return await work();
  } finally {
    taskset("-acp", all, String(process.pid));
  }
}

/** @param {string[]} args */
const taskset = (...args) => execFileSync(TASKSET, args, { encoding: "utf8" });

/**
 * @param {readonly string[]} args of node
 * @param {{ core?: number, env?: Record<string, string>, output?: boolean, node?: string }} options
 */
export function startNode(args, { core, env = {}, output = true, node: program = process.execPath }) {
  const node = [program, ...args];
  const [command = "", ...rest] =
    core !== undefined && canPin ? [TASKSET, "-c", String(core), ...node] : node;
  const io = output ? "pipe" : "ignore";
  return spawn(command, rest, { env: { ...environment, ...env }, stdio: ["ignore", io, io] });
}

/**
 * @typedef {object} RunOptions
 * @property {Record<string, string>} [env]
 * @property {number} [core]
 * @property {string} [node] the program to run it with, instead of the node of this process
 * @property {boolean} [watchMemory]
 * @property {number} [exitCode] another one is a failure; 0 by default
 * @property {(text: string) => void} [onStderr]
 */

/**
 * Runs node until it ends, and throws if it fails.
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 */
export async function run(args, { env = {}, watchMemory = false, exitCode = 0, onStderr, ...options } = {}) {
  const start = performance.now();
  const child = startNode(args, { env, ...options });
  const output = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    output.stderr += text;
    onStderr?.(output.stderr);
  });
  let peakMiB = 0;
  const sample = () => {
    peakMiB = Math.max(peakMiB, peakMemory(child));
  };
  const timer = watchMemory ? setInterval(sample, POLL_MS) : undefined;
  let ms = 0;
  child.once("exit", () => {
    ms = performance.now() - start;
  });
  const [code] = await once(child, "close");
  clearInterval(timer);
  if (code !== exitCode) throw new Error(`${args.join(" ")} ended with ${code}: ${output.stderr}`);
  return { ms, peakMiB, stdout: output.stdout };
}

/** @param {readonly string[]} args @param {RunOptions} [options] */
export const claims = (args, options) => run([CLAIMS, ...args], options);

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/** What `npm run binary` makes on this platform. */
export const ONE_FILE = join(ROOT, `dist/binary/claims-${version}-${process.platform}-${process.arch}`);

/** @param {readonly string[]} args @param {RunOptions} [options] */
export const runOneFile = (args, options) => run(args, { ...options, node: ONE_FILE });

/**
 * The highest resident memory so far in MiB; 0 without /proc.
 * @param {ChildProcess} child
 */
export const peakMemory = (child) => readMemory(child, /^VmHWM:\s+(\d+) kB/m);

/**
 * The resident memory now in MiB; 0 without /proc.
 * @param {ChildProcess} child
 */
export const residentMemory = (child) => readMemory(child, /^VmRSS:\s+(\d+) kB/m);

/** @param {ChildProcess} child @param {RegExp} line of its status */
function readMemory({ pid }, line) {
  try {
    const [, kilobytes = "0"] = line.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return 0; // The process has ended.
  }
}

/**
 * Seconds of processor time that a program uses during some work; NaN without /proc.
 * @param {ChildProcess} child
 * @param {() => Promise<unknown>} work
 */
export async function measureProcessorSeconds(child, work) {
  const before = processorSeconds(child);
  await work();
  return processorSeconds(child) - before;
}

/** @param {ChildProcess} child */
function processorSeconds({ pid }) {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return Number.NaN;
  const fields = readFileSync(path, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** @param {ChildProcess} child */
export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  await exit;
}

/**
 * Starts a server that prints one line with its port.
 * @param {string} program in floors/
 * @param {{ core?: number, args?: readonly string[] }} [options] `args` after the port
 */
export async function startFloor(program, { args = [], ...options } = {}) {
  const child = startNode([floorProgram(program), "0", ...args], options);
  const { port } = JSON.parse(await readFirstLine(child));
  return { child, url: `http://127.0.0.1:${port}` };
}

/** @param {{ core?: number, args?: readonly string[] }} [options] `args` of `sandbox up` */
export async function startSandbox({ args = [], ...options } = {}) {
  const child = startNode([CLAIMS, "sandbox", "up", "--port", "0", "--json", ...args], options);
  const { url, controlToken, credentials } = JSON.parse(await readFirstLine(child));
  const env = { CLAIMS_BASE_URL: url, CLAIMS_API_KEY: credentials.sandbox.apiKey };
  return { child, url, controlToken, env, authorization: `Bearer ${credentials.sandbox.apiKey}` };
}

/** @param {ChildProcess} child */
async function readFirstLine(child) {
  let text = "";
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk) => {
    errors += chunk;
  });
  for await (const chunk of child.stdout?.setEncoding("utf8").iterator({ destroyOnReturn: false }) ?? []) {
    text += chunk;
    const end = text.indexOf("\n");
    if (end !== -1) {
      child.stdout?.resume();
      return text.slice(0, end);
    }
  }
  throw new Error(`the server printed no line: ${errors}`);
}

/** Returns a port that is currently free. */
export async function findFreePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}
