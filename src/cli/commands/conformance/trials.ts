import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { HostOptions } from "../../../../sandbox/api/host-options.ts";
import type { Sandbox, SandboxOptions } from "../../../../sandbox/index.ts";
import { findPlainEnd, hasEndedPlainly } from "../../../conformance/ends.ts";
import type { ScenarioId } from "../../../conformance/scenarios.ts";
import { isResult } from "../../../conformance/traffic.ts";
import type { LoggedRequest, PlainEnd, ProgramRun, Trial } from "../../../conformance/trial.ts";
import type { GreaseDimension } from "../../../contract/grease.ts";
import { timeToDay } from "../../../domain/entries/dates.ts";
import { SCENARIO_SELLER } from "../../../domain/scenarios/draft.ts";
import { generateScenarioFile } from "../../../domain/scenarios/scenario-file.ts";
import { getMinRows } from "../../../domain/scenarios/scenarios.ts";
import { startEmbeddedSandbox } from "../../connection/embedded-sandbox.ts";
import type { Context } from "../../context.ts";
import { childEnvironment, type ExecCommand, type ExecWorkspace } from "../sandbox/exec/child.ts";
import { runProgram } from "./program.ts";
import { SCENARIO_SETUPS, type ScenarioSetup } from "./scenario-setups.ts";
import { advanceJob, createJobStepper, createKiller, createPauseFault } from "./watchers.ts";

/** The program, and the sandboxes that it runs against. */
export interface ProgramSetup {
  readonly command: ExecCommand;
  readonly workspace: ExecWorkspace;
  readonly seed: number;
  readonly grease: readonly GreaseDimension[];
  readonly allowHosts: readonly string[];
  /** Of each run; undefined: it may take any time. */
  readonly timeoutMs: number | undefined;
}

const MIN_ROWS = 10;

/** A program that polls without a pause must not push its first requests out of the log, nor a large test suite. */
const REQUEST_LOG_SIZE = 10_000;

/** The clock of its sandbox stands still, so that equal runs have equal traffic. @param plain null in the plain scenario */
export async function runScenario(
  context: Context,
  id: ScenarioId,
  { command, workspace, seed, grease, allowHosts, timeoutMs }: ProgramSetup,
  plain: PlainEnd | null,
): Promise<Trial> {
  const setup = SCENARIO_SETUPS[id];
  const folder = join(workspace.folder, id);
  await mkdir(folder);
  const file = await writeEntryFile(context, folder, setup, seed);
  // The contract of a new sandbox has another version.
  let contractVersion: "next" | undefined;
  const options = {
    seed,
    allowHosts,
    frozenAt: new Date(context.now()),
    requestLogSize: REQUEST_LOG_SIZE,
    ...setup.options,
    grease: [...new Set([...grease, ...(setup.grease ?? [])])],
  };
  const hostOptions = { contractVersion: () => contractVersion, tempDir: workspace.folder };
  const watchers = new Set<Watcher>();
  return followSandbox(context, options, hostOptions, watchers, async (sandbox) => {
    const env = {
      ...childEnvironment(context, sandbox, workspace.binFolder),
      // What `claims` remembers of another scenario is about another sandbox.
      CLAIMS_CONFIG_DIR: join(folder, "config"),
      CLAIMS_CONFORMANCE_SCENARIO: id,
      CLAIMS_CONFORMANCE_FILE: file,
    };
    const run = (onStart?: (kill: () => void) => void) =>
      runProgram(context, sandbox, { command, env, timeoutMs, onStart });
    await setup.prepare?.(sandbox);
    await sandbox.requests.clear();
    for (const fault of setup.faults ?? []) sandbox.faults.add(fault);
    if (setup.failsUntilPause) watchers.add(createPauseFault(sandbox));
    if (setup.holdsJob) watchers.add(createJobStepper(sandbox));
    if (setup.changesContract === "at_first_result")
      watchers.add((request) => {
        if (isResult(request) && request.status === 200) contractVersion = "next";
      });
    const addKiller = (kill: () => void) => void watchers.add(createKiller(context, kill));
    const runs: ProgramRun[] = [await run(setup.isKilled && addKiller)];
    const listRequests = () => runs.flatMap(({ requests }) => requests);
    const endedBy = runs[0]?.endedBy;
    const hasMore = setup.runsAgain && !hasEndedPlainly({ plain, runs, requests: listRequests() });
    if (endedBy === "scenario" || hasMore) {
      while (await advanceJob(sandbox));
      runs.push(await run());
    } else if (setup.changesContract === "between_runs" && endedBy === "itself") {
      contractVersion = "next";
      await writeEntryFile(context, folder, setup, seed + 1);
      runs.push(await run());
    }
    const requests = listRequests();
    return { scenario: id, requests, runs, plain: plain ?? findPlainEnd({ requests, runs }) };
  });
}

async function writeEntryFile(context: Context, folder: string, { entries }: ScenarioSetup, seed: number) {
  const rows = Math.max(MIN_ROWS, getMinRows(entries, "entry"));
  const asOf = timeToDay(context.now());
  const file = join(folder, "entries.csv");
  await writeFile(file, generateScenarioFile({ scenario: entries, rows, layout: "entry", seed, asOf }));
  await writeFile(join(folder, "seller.txt"), `${SCENARIO_SELLER}\n`);
  return file;
}

type Watcher = (request: LoggedRequest) => void;

/** Starts a sandbox for some work. Calls each watcher with every request that ends. */
async function followSandbox<T>(
  context: Context,
  options: SandboxOptions,
  hostOptions: HostOptions,
  watchers: Iterable<Watcher>,
  work: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  const sandbox = await startEmbeddedSandbox(context, options, hostOptions);
  const stop = new AbortController();
  const follow = async () => {
    for await (const event of sandbox.activity(stop.signal)) {
      if (!("event" in event) || event.event !== "request") continue;
      for (const watch of watchers) watch(event);
    }
  };
  const followed = follow();
  try {
    return await work(sandbox);
  } finally {
    stop.abort();
    await followed;
    await sandbox.close();
  }
}

/** Runs the program once, with a running clock. A reset of the sandbox clears its log, and so begins another trial. */
export async function runPassively(
  context: Context,
  { command, workspace, seed, grease, allowHosts, timeoutMs }: ProgramSetup,
): Promise<readonly Trial[]> {
  const options = { seed, grease, allowHosts, requestLogSize: REQUEST_LOG_SIZE };
  const ended = new Map<string, LoggedRequest>();
  const collect = (request: LoggedRequest) =>
    void ended.set(`${request.number} ${request.arrivalOffsetMs}`, request);
  return followSandbox(context, options, { tempDir: workspace.folder }, [collect], async (sandbox) => {
    const run = await runProgram(context, sandbox, {
      command,
      env: childEnvironment(context, sandbox, workspace.binFolder),
      timeoutMs,
      onOutput: (chunk) => void context.stderr.writable.write(chunk),
    });
    run.requests.forEach(collect);
    return splitByReset([...ended.values()]).map((requests) => ({
      ...{ scenario: null, requests, plain: null },
      runs: [{ ...run, requests }],
    }));
  });
}

/** Splits requests where their numbers begin again. At least one part, in order. */
function splitByReset(requests: readonly LoggedRequest[]): LoggedRequest[][] {
  const inOrder = requests.toSorted(
    (one, other) => one.arrivalOffsetMs - other.arrivalOffsetMs || one.number - other.number,
  );
  const parts: LoggedRequest[][] = [[]];
  for (const request of inOrder) {
    const part = parts.at(-1) ?? [];
    if (request.number <= (part.at(-1)?.number ?? 0)) parts.push([request]);
    else part.push(request);
  }
  return parts;
}
