import { copyFile, lstat, mkdir, readdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { assess, selectScenarios } from "../../../conformance/assess.ts";
import { doesSomething } from "../../../conformance/ends.ts";
import type { ReportedScenario, ReportSubject } from "../../../conformance/report.ts";
import { RULES } from "../../../conformance/rules.ts";
import { PLAIN_SCENARIO, SCENARIOS, type ScenarioId } from "../../../conformance/scenarios.ts";
import type { LoggedRequest, PlainEnd, Trial } from "../../../conformance/trial.ts";
import { GREASE_DIMENSIONS, type GreaseDimension } from "../../../contract/grease.ts";
import { interruptedError, usageError } from "../../../domain/errors.ts";
import { formatCount } from "../../../domain/numbers.ts";
import { parseGrease, startEmbeddedSandbox } from "../../connection/embedded-sandbox.ts";
import type { Context } from "../../context.ts";
import type { BaseInvocation } from "../../framework/command.ts";
import type { Output } from "../../output/output.ts";
import { startProgress } from "../../output/progress.ts";
import { mapConcurrently } from "../diligence/batch/map-concurrently.ts";
import { childEnvironment, createWorkspace } from "../sandbox/exec/child.ts";
import type { ConformanceOptions } from "./conformance.ts";
import { finishReport, joinShellWords, readGate, selectRules } from "./gate.ts";
import { redactOutput, startProgram } from "./program.ts";
import { findFailure, renderReport } from "./render.ts";
import { runScenario, type ScenarioSettings } from "./run-scenario.ts";
import { followRequests, listOpenJobs, readTraffic, splitByReset } from "./traffic.ts";

interface ConformanceInvocation extends BaseInvocation {
  readonly args: { readonly program: readonly string[] };
  readonly options: ConformanceOptions;
}

const DEFAULT_SEED = 1;

export async function runConformance(
  context: Context,
  { args: { program: command }, options, onEnd }: ConformanceInvocation,
): Promise<Output> {
  if (command.length === 0)
    throw usageError("missing_option", "no program is given", {
      hint: "give its command line after --, as in `claims conformance -- ./nightly.sh`",
    });
  const mode = options.passive ? "passive" : "scenarios";
  const rules = selectRules(RULES, options.only);
  const grease = selectGrease(options.grease);
  const gate = await readGate(context, options, RULES);
  const seed = options.seed ?? DEFAULT_SEED;
  const run = { command, seed, grease, options, onEnd };
  const trials =
    mode === "passive"
      ? await runPassively(context, run)
      : await runAllScenarios(context, selectScenarios(rules), run);
  const subject: ReportSubject = { mode, command, seed, grease, version: context.version };
  const report = await finishReport(context, options, {
    subject,
    gate,
    results: assess(rules, trials),
    scenarios: toReportedScenarios(trials),
    isSilent: !trials.some(doesSomething),
    repeat: (rule) => formatRepeat(rule, subject, options),
  });
  return renderReport(report, findFailure(report), { isVerbose: options.verbose ?? false });
}

/** One row for each scenario, or one for all traffic that no scenario made. */
function toReportedScenarios(trials: readonly Trial[]): ReportedScenario[] {
  const ids = [...new Set(trials.map(({ scenario }) => scenario))];
  return ids.map((id) => {
    const own = trials.filter(({ scenario }) => scenario === id);
    const runs = own[0]?.runs ?? [];
    return {
      id: id ?? "all",
      end: id === null ? "any" : SCENARIOS[id].end,
      requests: own.reduce((sum, { requests }) => sum + requests.length, 0),
      runs: runs.map(({ exitCode, endedBy }) => ({ exitCode, endedBy })),
    };
  });
}

function selectGrease(words: readonly string[] = []): readonly GreaseDimension[] {
  const named = new Set(words.flatMap((text) => parseGrease(text)));
  return GREASE_DIMENSIONS.filter((dimension) => named.has(dimension));
}

const formatTimeout = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`);

function formatRepeat(rule: string, { mode, command, seed }: ReportSubject, options: ConformanceOptions) {
  const { grease = [], allowHost = [], timeout } = options;
  const words = [
    ...["claims", "conformance"],
    ...(mode === "passive" ? ["--passive"] : []),
    ...["--only", rule],
    ...["--seed", String(seed)],
    ...grease.flatMap((text) => ["--grease", text]),
    ...allowHost.flatMap((name) => ["--allow-host", name]),
    ...(timeout === undefined ? [] : ["--timeout", formatTimeout(timeout)]),
    ...["--", ...command],
  ];
  return joinShellWords(words);
}

/** A test suite may make more requests than the default log keeps. */
const REQUEST_LOG_SIZE = 10_000;

/** Runs the program once, with a running clock. A reset of the sandbox clears its log, and so begins another trial. */
async function runPassively(
  context: Context,
  { command: [program = "", ...args], seed, grease, options, onEnd }: ProgramInvocation,
): Promise<readonly Trial[]> {
  const workspace = await createWorkspace(context, { onEnd });
  const sandbox = await startEmbeddedSandbox(
    context,
    { seed, grease, allowHosts: options.allowHost ?? [], requestLogSize: REQUEST_LOG_SIZE },
    { tempDir: workspace.folder },
  );
  onEnd(() => sandbox.close());
  const ended = new Map<string, LoggedRequest>();
  const collect = (request: LoggedRequest) =>
    void ended.set(`${request.number} ${request.arrivalOffsetMs}`, request);
  const unfollow = followRequests(sandbox, new Set([collect]));
  const started = startProgram(context, {
    command: { program, args },
    env: childEnvironment(context, sandbox, workspace.binFolder),
    timeoutMs: options.timeout,
    onOutput: (chunk) => void context.stderr.writable.write(chunk),
  });
  const { output, ...end } = await started.ended;
  if (context.signal.aborted) throw interruptedError(context.signal.reason);
  const openJobs = await listOpenJobs(sandbox);
  for (const request of await readTraffic(context, sandbox)) collect(request);
  await unfollow();
  return splitByReset([...ended.values()]).map((requests) => {
    const last = requests.at(-1)?.number ?? 0;
    const run = { ...end, ...redactOutput(sandbox, output), firstAfter: 0, last, openJobs };
    return { scenario: null, requests, runs: [run], plain: null };
  });
}

interface ProgramInvocation extends Pick<BaseInvocation, "onEnd"> {
  readonly command: readonly string[];
  readonly seed: number;
  readonly grease: readonly GreaseDimension[];
  readonly options: ConformanceOptions;
}

/** Most of the time, a program waits. */
const SCENARIOS_AT_ONCE = 4;

/** A program may give up after a minute without a response, as many HTTP clients do. */
const DEFAULT_TIMEOUT_MS = 90_000;

async function runAllScenarios(
  context: Context,
  scenarios: readonly ScenarioId[],
  { command: [program = "", ...args], seed, grease, options, onEnd }: ProgramInvocation,
): Promise<readonly Trial[]> {
  const startedAt = context.now();
  const workspace = await createWorkspace(context, { onEnd });
  const settings = {
    command: { program, args },
    workspace,
    seed,
    grease,
    allowHosts: options.allowHost ?? [],
    timeoutMs: options.timeout ?? DEFAULT_TIMEOUT_MS,
    isVerbose: options.verbose ?? false,
  };
  let makeWorkingFolder: ScenarioSettings["makeWorkingFolder"] = null;
  const trials = new Map<ScenarioId, Trial>();
  const progress = startProgress(
    context.stderr,
    `running ${program} in ${formatCount(scenarios.length, "scenario")}`,
  );
  let plain: PlainEnd | null = null;
  const run = async (id: ScenarioId) => {
    const trial = await runScenario(context, id, { ...settings, makeWorkingFolder }, plain);
    trials.set(id, trial);
    plain ??= trial.plain;
    progress.update(`${trials.size} of ${formatCount(scenarios.length, "scenario")}: ${SCENARIOS[id].text}`);
  };
  const others = scenarios.filter((id) => id !== PLAIN_SCENARIO);
  try {
    await run(PLAIN_SCENARIO);
    // A program that does nothing where everything works shows nothing elsewhere.
    if ((plain as PlainEnd | null)?.isSilent) return [...trials.values()];
    if (await hasChangedSince(context.cwd, startedAt))
      makeWorkingFolder = (folder) => linkWorkingFolder(context.cwd, folder, startedAt);
    for await (const _ of mapConcurrently(others, SCENARIOS_AT_ONCE, run));
  } finally {
    progress.stop();
  }
  return scenarios.flatMap((id) => trials.get(id) ?? []);
}

/** Whether something directly in a folder has changed, such as the file in which a program keeps its state. */
async function hasChangedSince(folder: string, startedAt: number): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  const stats = await Promise.all(names.map((name) => lstat(join(folder, name)).catch(() => null)));
  return stats.some((each) => each !== null && each.ctimeMs >= startedAt);
}

/**
 * Makes a working folder for one scenario: scenarios run at the same time, and a state that they share would be a fault of no
 * program. It has links to what the folder of the command contains, and copies of what the program changes there.
 *
 * @returns the folder; that of the command where links cannot be made
 */
const linkWorkingFolder = (from: string, to: string, startedAt: number): Promise<string> =>
  linkContents(from, to, startedAt).catch(async () => {
    await rm(to, { recursive: true, force: true });
    return from;
  });

async function linkContents(from: string, to: string, startedAt: number): Promise<string> {
  await mkdir(to);
  for (const name of await readdir(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    const stats = await lstat(source);
    // The program makes it again.
    if (stats.birthtimeMs >= startedAt) continue;
    if (stats.ctimeMs < startedAt) await symlink(source, target);
    else if (stats.isDirectory()) await linkContents(source, target, startedAt);
    else if (stats.isFile()) await copyFile(source, target);
  }
  return to;
}
