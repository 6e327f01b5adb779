import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LoggedRequest, Sandbox } from "../../../../sandbox/index.ts";
import { findPlainEnd, hasEndedPlainly } from "../../../conformance/ends.ts";
import { SCENARIOS, type ScenarioId } from "../../../conformance/scenarios.ts";
import { findRush, pauseBefore } from "../../../conformance/traffic.ts";
import type { PlainEnd, ProgramRun, Trial } from "../../../conformance/trial.ts";
import type { GreaseDimension } from "../../../contract/grease.ts";
import { timeToDay } from "../../../domain/entries/dates.ts";
import { interruptedError } from "../../../domain/errors.ts";
import { SCENARIO_SELLER } from "../../../domain/scenarios/draft.ts";
import { generateScenarioFile } from "../../../domain/scenarios/scenario-file.ts";
import { getMinRows } from "../../../domain/scenarios/scenarios.ts";
import { startEmbeddedSandbox } from "../../connection/embedded-sandbox.ts";
import type { Context } from "../../context.ts";
import { printMessage } from "../../output/stderr.ts";
import { childEnvironment, type ExecCommand, type ExecWorkspace } from "../sandbox/exec/child.ts";
import { type RunningProgram, redactOutput, startProgram } from "./program.ts";
import { SCENARIO_SETUPS, type ScenarioSetup } from "./scenario-setups.ts";
import { followRequests, lastNumber, listOpenJobs, readTraffic } from "./traffic.ts";

export interface ScenarioSettings {
  readonly command: ExecCommand;
  readonly workspace: ExecWorkspace;
  readonly seed: number;
  readonly grease: readonly GreaseDimension[];
  readonly allowHosts: readonly string[];
  readonly timeoutMs: number;
  readonly isVerbose: boolean;
  /** Makes a working folder for a scenario; null while the program has shown none of its own. */
  readonly makeWorkingFolder: ((folder: string) => Promise<string>) | null;
}

/** A program that polls without a pause must not push its first requests out of the log. */
const REQUEST_LOG_SIZE = 10_000;
const MIN_ROWS = 10;

/** A program has recorded the job by its first read, or after this time. */
const KILL_DELAY_MS = 5_000;

const RESULT_READS: ReadonlySet<string | null> = new Set(["diligence.report", "diligence.dataset"]);
const JOB_READS: ReadonlySet<string | null> = new Set(["diligence.status", ...RESULT_READS]);

/** The clock of its sandbox stands still, so that equal runs have equal traffic. @param plain null in the plain scenario */
export async function runScenario(
  context: Context,
  id: ScenarioId,
  settings: ScenarioSettings,
  plain: PlainEnd | null,
): Promise<Trial> {
  const { workspace, seed, grease, allowHosts } = settings;
  const setup = SCENARIO_SETUPS[id];
  const folder = join(workspace.folder, id);
  await mkdir(folder);
  const file = await writeEntryFile(context, folder, setup, seed);
  const cwd = await settings.makeWorkingFolder?.(join(folder, "cwd"));
  // The contract of a new sandbox has another version.
  let contractVersion: "next" | undefined;
  const options = {
    seed,
    allowHosts,
    frozenAt: new Date(context.now()),
    requestLogSize: REQUEST_LOG_SIZE,
    ...setup.options,
    grease: [...new Set([...grease, ...(Array.isArray(setup.options?.grease) ? setup.options.grease : [])])],
  };
  const sandbox = await startEmbeddedSandbox(context, options, {
    contractVersion: () => contractVersion,
    tempDir: workspace.folder,
  });
  const watchers = new Set<(request: LoggedRequest) => void>();
  const unfollow = followRequests(sandbox, watchers);
  let program: RunningProgram | undefined;
  try {
    await setup.prepare?.(sandbox);
    await sandbox.requests.clear();
    for (const fault of setup.faults ?? []) sandbox.faults.add(fault);
    if (setup.failsUntilPause) watchers.add(createPauseFault(sandbox));
    if (setup.holdsJob) watchers.add(createJobStepper(sandbox));
    if (setup.changesContract === "at_first_result")
      watchers.add(({ operation, status }) => {
        if (RESULT_READS.has(operation) && status === 200) contractVersion = "next";
      });
    const env = {
      ...childEnvironment(context, sandbox, workspace.binFolder),
      // What `claims` remembers of another scenario is about another sandbox.
      CLAIMS_CONFIG_DIR: join(folder, "config"),
      CLAIMS_CONFORMANCE_SCENARIO: id,
      CLAIMS_CONFORMANCE_FILE: file,
    };
    const runOnce = () =>
      runProgram(context, {
        id,
        sandbox,
        env,
        cwd,
        settings,
        onStart(started) {
          program = started;
        },
      });
    const killer = setup.isKilled ? createKiller(context, () => program) : null;
    if (killer) watchers.add(killer);
    const runs: ProgramRun[] = [await runOnce()];
    if (killer) watchers.delete(killer);
    const isKilled = runs[0]?.endedBy === "scenario";
    const hasMore = async () =>
      setup.runsAgain && !hasEndedPlainly({ plain, runs, requests: await readTraffic(context, sandbox) });
    if (isKilled || (await hasMore())) {
      while (await advanceJob(sandbox));
      runs.push(await runOnce());
    } else if (setup.changesContract === "between_runs" && runs[0]?.endedBy === "itself") {
      contractVersion = "next";
      await writeEntryFile(context, folder, setup, seed + 1);
      runs.push(await runOnce());
    }
    const requests = await readTraffic(context, sandbox);
    return { scenario: id, requests, runs, plain: plain ?? findPlainEnd({ requests, runs }) };
  } finally {
    await unfollow();
    await sandbox.close();
  }
}

async function writeEntryFile(context: Context, folder: string, { entries }: ScenarioSetup, seed: number) {
  const rows = Math.max(MIN_ROWS, getMinRows(entries, "entry"));
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
  readonly cwd: string | undefined;
  readonly settings: ScenarioSettings;
  readonly onStart: (program: RunningProgram) => void;
}

async function runProgram(context: Context, run: RunSettings): Promise<ProgramRun> {
  const { id, sandbox, env, cwd, settings, onStart } = run;
  const { command, timeoutMs, isVerbose } = settings;
  const firstAfter = await lastNumber(sandbox);
  const program = startProgram(context, { command, env, cwd, timeoutMs });
  onStart(program);
  const { output: bytes, ...end } = await program.ended;
  if (context.signal.aborted) throw interruptedError(context.signal.reason);
  const { output, showsCredential } = redactOutput(sandbox, bytes);
  if (isVerbose) printOutput(context, `${id} (${SCENARIOS[id].text})`, output);
  const openJobs = await listOpenJobs(sandbox);
  return { ...end, output, showsCredential, firstAfter, last: await lastNumber(sandbox), openJobs };
}

function printOutput(context: Context, title: string, output: string): void {
  printMessage(context, `${title}:`);
  for (const line of output.trimEnd().split("\n")) printMessage(context, `  ${line}`);
}

/** Requests with a pause before them after which a program has shown that it pauses, and requests without. */
const PAUSED_REQUESTS = 2;
const HASTY_REQUESTS = 400;

/** Longer than a busy machine mostly delays a request that is sent at once. */
const PAUSE_MS = 100;

/** Of all requests: a very busy machine delays some that are sent at once. */
const PAUSED_SHARE = 1 / 2;

/** Calls a function after few requests of a program that pauses before them, and after many of one that does not. */
function countPauses(isCounted: (request: LoggedRequest) => boolean, onEnough: () => void) {
  let paused = 0;
  let requests: LoggedRequest[] = [];
  return (request: LoggedRequest): void => {
    if (!isCounted(request)) return;
    // A program may send requests of several kinds before each pause.
    const own = requests.filter(({ operation }) => operation === request.operation);
    const previous = own.at(-1);
    if (requests.length === 0 || (previous && pauseBefore(request, previous) >= PAUSE_MS)) paused += 1;
    requests.push(request);
    const isPatient = paused >= PAUSED_REQUESTS && paused / requests.length >= PAUSED_SHARE;
    const isShown = requests.length >= HASTY_REQUESTS || findRush([...own, request]).length > 0;
    if (!isPatient && !isShown) return;
    paused = 0;
    requests = [request];
    onEnough();
  };
}

/** Lets a held job make a step after some reads: queued, processing, completed. */
const createJobStepper = (sandbox: Sandbox) =>
  countPauses(
    ({ operation }) => JOB_READS.has(operation),
    // A rejection means that the sandbox is closing.
    () => void advanceJob(sandbox).catch(() => {}),
  );

/** Fails each read of a status until the program has paused. */
function createPauseFault(sandbox: Sandbox) {
  const { id } = sandbox.faults.add({ match: { operation: "diligence.status" }, then: { status: 503 } });
  let isOver = false;
  return countPauses(
    ({ operation, fault }) => operation === "diligence.status" && fault !== null,
    () => {
      if (!isOver) sandbox.faults.clear(id);
      isOver = true;
    },
  );
}

/** Moves the clock to the next step of a job, and resolves to false if no job waits. */
async function advanceJob({ clock }: Sandbox): Promise<boolean> {
  const step = clock.agenda().find(({ kind }) => kind.startsWith("job."));
  if (step) await clock.advance(step.dueAt);
  return step !== undefined;
}

/** Kills the program when it has had the time to record the job of its submission. */
function createKiller({ sleep }: Context, getProgram: () => RunningProgram | undefined) {
  let isAccepted = false;
  return ({ operation, status, outcome }: LoggedRequest): void => {
    if (isAccepted) {
      if (JOB_READS.has(operation)) getProgram()?.kill();
      return;
    }
    if (operation !== "diligence.submit" || outcome !== "answered" || status === null || status >= 300)
      return;
    isAccepted = true;
    const program = getProgram();
    void sleep(KILL_DELAY_MS).then(() => program?.kill());
  };
}
