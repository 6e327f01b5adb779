import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { bareEnvironment, temporaryFolder } from "./cli.ts";

/** The services of `test/foreign`, each written from the interface alone (its README), with the command that starts it. */
export const FOREIGN_SERVICES = {
  harborline: ["node", "server.mjs"],
  kontor: ["node", "server.mjs"],
  tariffbridge: ["node", "server.mjs"],
  dutydesk: ["python3", "server.py"],
  zollfax: ["perl", "server.pl"],
  meridian: ["java", "Main.java"],
} as const;

export type ForeignService = keyof typeof FOREIGN_SERVICES;

/** Whether the language of a service is installed. */
export const canStart = (name: ForeignService): boolean => {
  const [program] = FOREIGN_SERVICES[name];
  return spawnSync(program, ["--version"]).status === 0 || spawnSync(program, ["-version"]).status === 0;
};

export const foreignFolder = (name: string): string =>
  fileURLToPath(new URL(`../foreign/${name}`, import.meta.url));

/** Runs a program of `test/foreign` to its end. */
export function runForeign([program = "", ...args]: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  return spawnSync(process.execPath, [join(foreignFolder("."), program), ...args], { encoding: "utf8", env });
}

/** A copy of a service that has made another choice: its server and its `drive.json` with another text. */
export function copyForeign(name: ForeignService, from: RegExp, to: string): string {
  const folder = temporaryFolder();
  for (const file of [FOREIGN_SERVICES[name][1], "drive.json"]) {
    const text = readFileSync(join(foreignFolder(name), file), "utf8");
    if (text.search(from) < 0) throw new Error(`${file} of ${name} does not have ${from}`);
    writeFileSync(join(folder, file), text.replace(from, to));
  }
  return folder;
}

/** Starts a foreign service, or its copy in a folder, for one test, and the environment that calls it. */
export async function startForeign(name: ForeignService, contradiction = 0, cwd = foreignFolder(name)) {
  const [program, file] = FOREIGN_SERVICES[name];
  const child: ChildProcess = spawn(program, [file, "0"], {
    cwd,
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, CONTRADICT: String(contradiction) },
  });
  onTestFinished(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  if (!child.stdout) throw new Error(`${name} has no output`);
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const { url, apiKey } = JSON.parse(line);
  const env: Record<string, string> = {
    ...bareEnvironment(),
    CLAIMS_BASE_URL: String(url),
    CLAIMS_API_KEY: String(apiKey),
    CLAIMS_ENVIRONMENT: "sandbox",
  };
  return { url: String(url), env };
}

const HEAD = "entry_number,entry_date,importer,hts_code,duty_paid,currency\n";
const rowOf = (number: string) => `${number},2025-01-10,Acme Imports Inc,8471.30.0100,1200.50,USD\n`;

/** Entry files that end completed, partial and failed (the README of the services). */
export function writeForeignFiles() {
  const folder = temporaryFolder();
  const write = (name: string, ...numbers: string[]) => {
    const path = join(folder, name);
    writeFileSync(path, HEAD + ["ABC-1000001-0", "ABC-1000014-1", ...numbers].map(rowOf).join(""));
    return path;
  };
  return {
    folder,
    completed: write("completed.csv"),
    partial: write("partial.csv", "SBX-1000007-1"),
    failed: write("failed.csv", "SBX-3000007-3"),
  };
}
