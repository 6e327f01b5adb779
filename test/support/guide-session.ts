import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BIN, ROOT, runCli } from "./cli.ts";

/** Sandboxes and receivers of the guides listen on their default ports; under test they take free ones. */
const CLAIMS = `#!/bin/sh
case "$1 $2" in "sandbox up" | "webhooks listen") set -- "$@" --port 0 ;; esac
exec "${process.execPath}" "${BIN}" "$@"
`;

/**
 * Runs the command line in the process of the test (`runCli`), which is much faster than a process for each line. What
 * starts processes or stays remains a process, and so does a line on a terminal.
 */
const IN_PROCESS = `
claims() {
  case "$1 $2" in "sandbox up" | "sandbox exec" | "webhooks listen") command claims "$@"; return ;; esac
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

/** Prints where a server of Node listens, as Flask does. */
const ANNOUNCE = `
  import { Server } from "node:net";
  const { listen } = Server.prototype;
  Server.prototype.listen = function (...args) {
    return listen.apply(this, args).once("listening", () => console.error("listening on 127.0.0.1:" + this.address().port));
  };`;

export interface CommandResult {
  readonly code: number;
  /** stdout and stderr, as they came. */
  readonly output: string;
}

/**
 * The reader of a guide: one bash with a home, a configuration and a project of their own, in which the variables and files
 * of earlier commands stay.
 */
export class GuideSession {
  readonly #home = mkdtempSync(join(tmpdir(), "claims-guide-"));
  readonly #project = join(this.#home, "project");
  readonly #shell: ChildProcess;
  #output = "";
  #backgroundCount = 0;
  /** Where the receiver of a guide listens, as soon as it does. */
  #receiverPort = 0;
  /** Has the address of the receiver before it starts: it stands for port 3000. */
  readonly #front = createServer((socket) => {
    const receiver = connect(this.#receiverPort, "127.0.0.1");
    for (const end of [socket, receiver]) end.on("error", () => void [socket.destroy(), receiver.destroy()]);
    socket.pipe(receiver).pipe(socket);
  });

  /** Takes the folder of a run from the shell's function, and returns its exit code. */
  readonly #bridge = createServer((socket) => {
    socket.once("data", async (folder) => socket.end(`${await runFrom(folder.toString().trim())}\n`));
  });

  static async open(): Promise<GuideSession> {
    const session = new GuideSession();
    for (const server of [session.#front, session.#bridge]) {
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
    }
    session.#write(`export BRIDGE_PORT=${portOf(session.#bridge)}\n${IN_PROCESS}`);
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
      // Its own process group: whatever a guide starts ends with it.
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

  /** Runs a command to its end; on a terminal of 100 columns if asked. */
  async run(text: string, { onTerminal = false } = {}): Promise<CommandResult> {
    const command = text.replaceAll("127.0.0.1:3000", `127.0.0.1:${portOf(this.#front)}`);
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

  /** Starts a command that stays, and waits until it says where it listens. */
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
    // Detached sandboxes have left the process group.
    await this.run("claims sandbox down");
    const ended = once(this.#shell, "close");
    if (this.#shell.pid) process.kill(-this.#shell.pid, "SIGKILL");
    await ended;
    this.#front.close();
    this.#bridge.close();
    rmSync(this.#home, { recursive: true, force: true });
  }

  #write(text: string): void {
    this.#shell.stdin?.write(text);
  }
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function runFrom(folder: string): Promise<number | null> {
  const read = (name: string) => readFileSync(join(folder, name));
  const [cwd = "", ...args] = read("args").toString().split("\0").slice(0, -1);
  const variables = read("env").toString().split("\0").slice(0, -1);
  const env = Object.fromEntries(variables.map((each) => each.split(/=(.*)/s).slice(0, 2)));
  const { code, stdout, stderr } = await runCli(args, { cwd, env, input: read("stdin") });
  writeFileSync(join(folder, "stdout"), stdout);
  writeFileSync(join(folder, "stderr"), stderr);
  return code;
}
