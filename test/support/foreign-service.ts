import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { bareEnvironment } from "./cli.ts";

/** The services of `test/foreign` (its README), with the command that starts each. */
export const FOREIGN_SERVICES = {
  harborline: ["node", "server.mjs"],
  kontor: ["node", "server.mjs"],
  zollfax: ["perl", "server.pl"],
  meridian: ["java", "Main.java"],
  brightwater: ["node", "server.mjs"],
  kessler: ["node", "server.mjs"],
  lumiere: ["node", "server.mjs"],
  tanuki: ["node", "server.mjs"],
} as const;

export type ForeignName = keyof typeof FOREIGN_SERVICES;

/** Whether the language of a service is installed. */
export const canStart = (name: ForeignName): boolean => {
  const [program] = FOREIGN_SERVICES[name];
  return spawnSync(program, ["--version"]).status === 0 || spawnSync(program, ["-version"]).status === 0;
};

export const foreignFile = (...path: readonly string[]): string =>
  join(fileURLToPath(new URL("../foreign", import.meta.url)), ...path);

/** The mapping that the documentation of a service gives, and what is expected of the service. */
export interface Truth {
  readonly mapping: Readonly<Record<string, unknown>>;
  readonly expect: {
    readonly datasetRows: number;
    /** Lists that go on without a sign of it in their responses. */
    readonly silentLists?: readonly string[];
  };
}

export type ForeignService = Awaited<ReturnType<typeof startForeign>>;

/** Starts a foreign service for one test, with the environment that calls it. */
export async function startForeign(name: ForeignName) {
  const [program, file] = FOREIGN_SERVICES[name];
  const child: ChildProcess = spawn(program, [file, "0"], {
    cwd: foreignFile(name),
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  if (!child.stdout) throw new Error(`${name} has no output`);
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const { url, apiKey } = JSON.parse(line) as { url: string; apiKey: string };
  const truth: Truth = JSON.parse(readFileSync(foreignFile(name, "truth.json"), "utf8"));
  const { createReader } = await import(foreignFile("reader.mjs"));
  const readIds: (list: string) => Promise<readonly string[]> = createReader(
    url,
    apiKey,
    truth.mapping,
  ).readIds;
  const env: Record<string, string> = {
    ...bareEnvironment(),
    CLAIMS_BASE_URL: url,
    CLAIMS_API_KEY: apiKey,
    CLAIMS_ENVIRONMENT: "sandbox",
  };
  return { name, url, env, truth, readIds };
}
