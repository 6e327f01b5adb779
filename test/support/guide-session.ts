import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT, runCli, SHELL_COMMAND } from "./cli.ts";

/** The guides use the default ports; in the test, sandboxes and receivers use free ones. */
const CLAIMS = `#!/bin/sh
case "$1 $2" in "sandbox up" | "webhooks listen") set -- "$@" --port 0 ;; esac
exec ${SHELL_COMMAND} "$@"
`;

/**
 * Runs the command line in the process of the test (`runCli`), which is much faster than a process for each line. Commands
 * that start processes, keep running or need a terminal run as processes.
 */
const RUN_IN_PROCESS = `
claims() {
  case "$1 $2" in "sandbox up" | "sandbox exec" | "webhooks listen" | "conformance "*) command claims "$@"; return ;; esac
  local run code
  run=$(mktemp -d "$TMPDIR/run.XXXXXX")
  case " $* " in *" - "* | *"-stdin "*) cat > "$run/stdin" ;; *) : > "$run/stdin" ;; esac
  env -0 > "$run/env"
  printf '%s\\0' "$PWD" "$@" > "$run/args"
  exec {bridge}<> "/dev/tcp/127.0.0.1/$BRIDGE_PORT"
  echo "$run" >&$bridge
  read -r code <&$bridge
  exec {bridge}>&-
  cat "$run/stderr" >&2
  cat "$run/stdout"
  return "$code"
}
export -f claims
`;

/** Makes every Node server print its address, as Flask does. */
const ANNOUNCE = `
  import { Server } from "node:net";
  const { listen } = Server.prototype;
  Server.prototype.listen = function (...args) {
    return listen.apply(this, args).once("listening", () => console.error("listening on 127.0.0.1:" + this.address().port));
  };`;

export interface CommandResult {
  readonly code: number;
  /** stdout and stderr, interleaved. */
  readonly output: string;
}

/**
 * Runs the commands of one guide in one bash, so that variables and files of earlier commands stay. Each session has its own
 * home, configuration and project folder.
 */
export class GuideSession {
  readonly #home = mkdtempSync(join(tmpdir(), "claims-guide-"));
  readonly #project = join(this.#home, "project");
  readonly #shell: ChildProcess;
  #output = "";
  #backgroundCount = 0;
  /** The port of the guide's receiver, once it listens. */
  #receiverPort = 0;
  /** Forwards to the receiver. It replaces port 3000 of the guides, and listens before the receiver starts. */
  readonly #receiverProxy = createServer((socket) => {
    const receiver = connect(this.#receiverPort, "127.0.0.1");
    for (const end of [socket, receiver]) end.on("error", () => void [socket.destroy(), receiver.destroy()]);
    socket.pipe(receiver).pipe(socket);
  });

  /** Receives the folder of a run from the shell function, and returns the exit code. */
  readonly #bridge = createServer((socket) => {
    socket.once("data", async (folder) => socket.end(`${await runInFolder(folder.toString().trim())}\n`));
  });

  static async open(): Promise<GuideSession> {
    const session = new GuideSession();
    for (const server of [session.#receiverProxy, session.#bridge]) {
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
    }
    session.#write(`export BRIDGE_PORT=${portOf(session.#bridge)}\n${RUN_IN_PROCESS}`);
    return session;
  }

  private constructor() {
    const bin = join(this.#home, "bin");
    const modules = join(this.#project, "node_modules");
    for (const folder of [bin, this.#project, modules, join(this.#home, "tmp")]) mkdirSync(folder);
    writeFileSync(join(bin, "claims"), CLAIMS);
    chmodSync(join(bin, "claims"), 0o755);
    writeFileSync(join(this.#home, "announce.mjs"), ANNOUNCE);
    writeFileSync(join(this.#project, "package.json"), '{"type":"module"}\n');
    symlinkSync(ROOT, join(modules, "claims-toolkit"));
    for (const name of [".bin", "express", "vitest"])
      symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
    this.#shell = spawn("bash", ["--noprofile", "--norc", "-s"], {
      cwd: this.#project,
      // A new process group, so that close() can kill every process that the guide started.
      detached: true,
      stdio: ["pipe", "pipe", "inherit"],
      env: {
        PATH: `${bin}:${process.env.PATH}`,
        HOME: this.#home,
        TMPDIR: join(this.#home, "tmp"),
        CLAIMS_CONFIG_DIR: join(this.#home, "config"),
        PORT: "0",
        npm_config_update_notifier: "false",
        NO_COLOR: "1",
        TZ: "UTC",
      },
    });
    this.#shell.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
    });
    this.#write("exec 2>&1; set -o pipefail\n");
  }

  writeFile(name: string, text: string): void {
    mkdirSync(join(this.#project, name, ".."), { recursive: true });
    writeFileSync(join(this.#project, name), text);
  }

  /** Runs a command until it ends, optionally on a terminal of 100 columns. */
  async run(text: string, { onTerminal = false } = {}): Promise<CommandResult> {
    const command = text.replaceAll("127.0.0.1:3000", `127.0.0.1:${portOf(this.#receiverProxy)}`);
    const quoted = `'${`stty cols 100 -onlcr; ${command}`.replaceAll("'", "'\\''")}'`;
    const line = onTerminal ? `script -qec ${quoted} /dev/null` : command;
    const from = this.#output.length;
    this.#write(`{ ${line}\n} < /dev/null\nprintf '\\001%s\\001' "$?"\n`);
    const end = /\u0001(\d+)\u0001$/;
    for (;;) {
      const match = end.exec(this.#output.slice(from));
      if (match) return { code: Number(match[1]), output: this.#output.slice(from, from + match.index) };
      if (this.#shell.exitCode !== null) throw new Error(`the shell ended: ${this.#output.slice(from)}`);
      await sleep(2);
    }
  }

  /** Starts a background command and waits until it prints its address. */
  async start(text: string): Promise<void> {
    const log = join(this.#home, `background-${this.#backgroundCount++}`);
    writeFileSync(log, "");
    const isClaims = text.startsWith("claims ");
    const prefix = isClaims ? "" : `export NODE_OPTIONS='--import=${join(this.#home, "announce.mjs")}'; `;
    await this.run(`( ${prefix}${text} ) > ${log} 2>&1 &`);
    for (;;) {
      const [, port] = /127\.0\.0\.1:(\d+)/.exec(readFileSync(log, "utf8")) ?? [];
      if (port !== undefined) {
        if (!isClaims) this.#receiverPort = Number(port);
        return;
      }
      await sleep(5);
    }
  }

  async close(): Promise<void> {
    // Detached sandboxes are in another process group.
    await this.run("claims sandbox down");
    const ended = once(this.#shell, "close");
    if (this.#shell.pid) process.kill(-this.#shell.pid, "SIGKILL");
    await ended;
    this.#receiverProxy.close();
    this.#bridge.close();
    rmSync(this.#home, { recursive: true, force: true });
  }

  #write(text: string): void {
    this.#shell.stdin?.write(text);
  }
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function runInFolder(folder: string): Promise<number | null> {
  const read = (name: string) => readFileSync(join(folder, name));
  const [cwd = "", ...args] = read("args").toString().split("\0").slice(0, -1);
  const variables = read("env").toString().split("\0").slice(0, -1);
  const env = Object.fromEntries(variables.map((each) => each.split(/=(.*)/s).slice(0, 2)));
  const { code, stdout, stderr } = await runCli(args, { cwd, env, input: read("stdin") });
  writeFileSync(join(folder, "stdout"), stdout);
  writeFileSync(join(folder, "stderr"), stderr);
  return code;
}
