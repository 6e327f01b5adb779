import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  bareEnvironment,
  type CliOptions,
  type CliResult,
  runCli,
  spawnCli,
  temporaryFolder,
} from "./cli.ts";
import { ACCEPT_AND_HANG, CountingService } from "./counting-service.ts";
import { batchArgs } from "./entry-folder.ts";
import { submitArgs } from "./sandbox.ts";
import { entriesCsv, ordinaryEntryNumber } from "./sandbox-requests.ts";

/** A valid entry file; each number makes another content. */
export const toEntryFile = (number: number): string => entriesCsv([ordinaryEntryNumber(number)]);

/** A machine of a partner, and the counting service that it sends to. */
export async function startCountedMachine({ keepsKeys = false } = {}) {
  const service = await CountingService.start({ keepsKeys });
  onTestFinished(() => service.close());
  const home = temporaryFolder();
  const env: Record<string, string> = {
    ...bareEnvironment(home),
    CLAIMS_BASE_URL: service.url,
    CLAIMS_API_KEY: "key-of-another-service",
  };
  const claims = (args: readonly string[], more: CliOptions = {}): Promise<CliResult> =>
    runCli(args, { env, cwd: home, ...more });
  const history = async (...more: string[]) => {
    const result = await claims(["history", "--json", "--all", ...more]);
    return { code: result.code, rows: JSON.parse(result.stdout) as HistoryRow[] };
  };
  return {
    service,
    env,
    home,
    /** The write log. */
    log: join(env.CLAIMS_CONFIG_DIR ?? "", "state", "writes.jsonl"),
    claims,
    history,
    submit: (file: string, ...more: string[]) => claims(submitArgs(file, ...more)),
    batch: (source: string, ...more: string[]) => claims(batchArgs(source, ...more)),
    /** Runs a command in a separate process, and kills it when the service has executed its next write. */
    async killAfterAcceptance(args: readonly string[]): Promise<void> {
      const started = spawnCli(args, { env, cwd: home });
      service.react({ ...ACCEPT_AND_HANG, beforeResponse: started.kill });
      await started.completion;
    },
    write(name: string, content: string | Uint8Array): string {
      const path = join(home, name);
      writeFileSync(path, content);
      return path;
    },
  };
}

/** Such a machine, with a folder of one entry file. */
export async function startMachineWithFolder(options?: Parameters<typeof startCountedMachine>[0]) {
  const machine = await startCountedMachine(options);
  const folder = join(machine.home, "entries");
  mkdirSync(folder);
  const file = join(folder, "a.csv");
  writeFileSync(file, toEntryFile(1));
  return { ...machine, folder, file };
}

export type CountedMachine = Awaited<ReturnType<typeof startCountedMachine>>;

interface HistoryRow {
  readonly key: string;
  readonly outcome: string;
  readonly jobId: string | null;
  readonly file: string | null;
}

/** Sends a file whatever it has. */
export const WITHOUT_CHECK = "--check=off";

/** The commands in the messages of a run that begin with these words, each as its arguments. */
export function findCommands({ stderr }: Pick<CliResult, "stderr">, start: string): string[][] {
  const lines = stderr.match(new RegExp(`claims ${start}[^\`;,\\n"]*`, "g")) ?? [];
  return [...new Set(lines)].map((line) =>
    line
      .trim()
      .split(/\s+/)
      .slice(1)
      .map((word) => word.replace(/^'(.*)'$/, "$1")),
  );
}
