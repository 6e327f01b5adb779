import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LoggedRequest, Sandbox } from "../../../../sandbox/index.ts";
import { SCENARIOS, type ScenarioId } from "../../../conformance/scenarios.ts";
import type { ProgramRun, Trial } from "../../../conformance/trial.ts";
import type { GreaseDimension } from "../../../contract/grease.ts";
import { timeToDay } from "../../../domain/entries/dates.ts";
import { interruptedError } from "../../../domain/errors.ts";
import { generateScenarioFile } from "../../../domain/scenarios/scenario-file.ts";
import { getRowBounds, SCENARIO_SELLER } from "../../../domain/scenarios/scenarios.ts";
import { startEmbeddedSandbox } from "../../connection/embedded-sandbox.ts";
import type { Context } from "../../context.ts";
import { printMessage } from "../../output/stderr.ts";
import { childEnvironment, type ExecCommand, type ExecWorkspace } from "../sandbox/exec/child.ts";
import { followRequests } from "./follow-requests.ts";
import { listOpenJobs } from "./jobs.ts";
import { type RunningProgram, startProgram } from "./program.ts";
import { redactOutput } from "./redact-output.ts";
import { SCENARIO_SETUPS, type ScenarioSetup } from "./scenario-setups.ts";
import { lastNumber, readTraffic } from "./traffic.ts";

export interface ScenarioSettings {
  readonly command: ExecCommand;
  readonly workspace: ExecWorkspace;
  readonly seed: number;
  readonly grease: readonly GreaseDimension[];
  readonly timeoutMs: number;
  readonly isVerbose: boolean;
}

/** A program that polls without a pause must not push its first requests out of the log. */
const REQUEST_LOG_SIZE = 20_000;

const MIN_ROWS = 10;

/** Of those that the program has stored beside its entry file. */
const MAX_FILES = 500;
const MAX_FILE_BYTES = 1 << 20;

/** Reads of a job after which a held one makes its next step. */
const READS_PER_STEP = 2;

/** A program has recorded the job by its first read, or after this time. */
const KILL_DELAY_MS = 1_200;

const RESULT_READS: ReadonlySet<string | null> = new Set(["diligence.report", "diligence.dataset"]);

const JOB_READS: ReadonlySet<string | null> = new Set(["diligence.status", ...RESULT_READS]);

/** The contract of a new sandbox has another one. */
const NEXT_CONTRACT_VERSION = "next";

/** Runs the program against a sandbox of its own, whose clock stands still, so that equal runs have equal traffic. */
export async function runScenario(
  context: Context,
  id: ScenarioId,
  settings: ScenarioSettings,
): Promise<Trial> {
  const { workspace, seed, grease } = settings;
  const setup = SCENARIO_SETUPS[id];
  const folder = join(workspace.folder, id);
  await mkdir(folder);
  const file = await writeEntryFile(context, folder, setup, seed);
  let contractVersion: string | undefined;
  const changeContract = () => {
    contractVersion = NEXT_CONTRACT_VERSION;
  };
  const sandbox = await startEmbeddedSandbox(context, {
    seed,
    contractVersion: () => contractVersion,
    frozenAt: new Date(context.now()),
    tempDir: workspace.folder,
    requestLogSize: REQUEST_LOG_SIZE,
    ...setup.options,
    grease: [...new Set([...grease, ...(Array.isArray(setup.options?.grease) ? setup.options.grease : [])])],
  });
  const watchers = new Set<(request: LoggedRequest) => void>();
  const unfollow = followRequests(sandbox, watchers);
  try {
    for (const fault of setup.faults ?? []) sandbox.faults.add(fault);
    if (setup.holdsJob) watchers.add(createJobStepper(sandbox));
    if (setup.changesContract === "at_first_result")
      watchers.add(({ operation, status }) => {
        if (RESULT_READS.has(operation) && status === 200) changeContract();
      });
    const env = {
      ...childEnvironment(context, sandbox, workspace.binFolder),
      // What `claims` remembers of another scenario is about another sandbox.
      CLAIMS_CONFIG_DIR: join(folder, "config"),
      CLAIMS_CONFORMANCE_SCENARIO: id,
      CLAIMS_CONFORMANCE_FILE: file,
    };
    const runOnce = (onStart?: (program: RunningProgram) => void) =>
      runProgram(context, { id, sandbox, env, settings, onStart, folder });
    const onStart = setup.kills
      ? (program: RunningProgram) => void watchers.add(createKiller(context, program))
      : undefined;
    const first = await runOnce(onStart);
    const runs: ProgramRun[] = [first];
    if (first.endedBy === "scenario") {
      while (await advanceJob(sandbox));
      runs.push(await runOnce());
    } else if (setup.changesContract === "between_runs" && first.endedBy === "itself") {
      changeContract();
      await writeEntryFile(context, folder, setup, seed + 1);
      runs.push(await runOnce());
    }
    const requests = await readTraffic(context, sandbox);
    return { scenario: id, requests, runs };
  } finally {
    await unfollow();
    await sandbox.close();
  }
}

async function writeEntryFile(
  context: Context,
  folder: string,
  { entries }: ScenarioSetup,
  seed: number,
): Promise<string> {
  const rows = Math.max(MIN_ROWS, getRowBounds(entries, "entry").min);
  const asOf = timeToDay(context.now());
  const file = join(folder, "entries.csv");
  await writeFile(file, generateScenarioFile({ scenario: entries, rows, layout: "entry", seed, asOf }));
  await writeFile(join(folder, "seller.txt"), `${SCENARIO_SELLER}\n`);
  return file;
}

interface RunSettings {
  readonly id: ScenarioId;
  readonly sandbox: Sandbox;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: ScenarioSettings;
  readonly folder: string;
  readonly onStart: ((program: RunningProgram) => void) | undefined;
}

async function runProgram(context: Context, run: RunSettings): Promise<ProgramRun> {
  const { id, sandbox, env, settings, folder, onStart } = run;
  const { command, timeoutMs, isVerbose } = settings;
  const firstAfter = await lastNumber(sandbox);
  const program = startProgram(context, { command, env, timeoutMs });
  onStart?.(program);
  const { output: bytes, ...end } = await program.ended;
  if (context.signal.aborted) throw interruptedError(context.signal.reason);
  const output = redactOutput(sandbox, bytes);
  if (isVerbose) printOutput(context, `${id} (${SCENARIOS[id]})`, output);
  const openJobs = await listOpenJobs(sandbox);
  const files = SCENARIO_SETUPS[id].readsFiles ? await readFiles(folder) : [];
  return { ...end, output, files, firstAfter, last: await lastNumber(sandbox), openJobs };
}

/** The contents of the files in a folder, without large ones. */
async function readFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.flatMap((entry) => (entry.isFile() ? join(entry.parentPath, entry.name) : []));
  const texts = paths.slice(0, MAX_FILES).map(async (path) => {
    const { size } = await stat(path);
    return size > MAX_FILE_BYTES ? [] : [await readFile(path, "utf8")];
  });
  // What a program has left running may remove a file meanwhile.
  const read = await Promise.allSettled(texts);
  return read.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
}

function printOutput(context: Context, title: string, output: string): void {
  printMessage(context, `${title}:`);
  for (const line of output.trimEnd().split("\n")) printMessage(context, `  ${line}`);
}

/** Lets a held job make a step after some reads: queued, processing, completed. */
function createJobStepper(sandbox: Sandbox) {
  let reads = 0;
  return ({ operation }: LoggedRequest): void => {
    if (!JOB_READS.has(operation)) return;
    reads += 1;
    if (reads % READS_PER_STEP !== 0) return;
    // A rejection means that the sandbox is closing.
    advanceJob(sandbox).catch(() => {});
  };
}

/** Moves the clock to the next step of a job, and resolves to false if no job waits. */
async function advanceJob({ clock }: Sandbox): Promise<boolean> {
  const step = clock.agenda().find(({ kind }) => kind.startsWith("job."));
  if (step) await clock.advance(step.dueAt);
  return step !== undefined;
}

/** Kills the program when it has had the time to record the job of its submission. */
function createKiller({ sleep }: Context, program: RunningProgram) {
  let isAccepted = false;
  return ({ operation, status, outcome }: LoggedRequest): void => {
    if (isAccepted) {
      if (JOB_READS.has(operation)) program.kill();
      return;
    }
    if (operation !== "diligence.submit" || outcome !== "answered" || status === null || status >= 300)
      return;
    isAccepted = true;
    void sleep(KILL_DELAY_MS).then(program.kill);
  };
}
