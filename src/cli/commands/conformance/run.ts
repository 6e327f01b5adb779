import { assess, selectScenarios } from "../../../conformance/assess.ts";
import { doesSomething } from "../../../conformance/ends.ts";
import type { ReportedScenario, ReportSubject } from "../../../conformance/report-document.ts";
import { RULES } from "../../../conformance/rules.ts";
import { PLAIN_SCENARIO, SCENARIOS, type ScenarioId } from "../../../conformance/scenarios.ts";
import type { PlainEnd, Trial } from "../../../conformance/trial.ts";
import { GREASE_DIMENSIONS, type GreaseDimension } from "../../../contract/grease.ts";
import { usageError } from "../../../domain/errors.ts";
import { createLimit } from "../../../domain/limit.ts";
import { formatCount } from "../../../domain/numbers.ts";
import { parseGrease } from "../../connection/embedded-sandbox.ts";
import type { Context } from "../../context.ts";
import type { BaseInvocation } from "../../framework/command.ts";
import type { Output } from "../../output/output.ts";
import { startProgress } from "../../output/progress.ts";
import { printMessage } from "../../output/stderr.ts";
import { createWorkspace } from "../sandbox/exec/child.ts";
import type { ConformanceOptions } from "./conformance.ts";
import { finishReport, joinShellWords, readGate, selectRules } from "./gate.ts";
import { findFailure, renderReport } from "./render.ts";
import { type ProgramSetup, runPassively, runScenario } from "./trials.ts";

interface ConformanceInvocation extends BaseInvocation {
  readonly args: { readonly program: readonly string[] };
  readonly options: ConformanceOptions;
}

const DEFAULT_SEED = 1;

/** A program may give up after a minute without a response, as many HTTP clients do. */
const DEFAULT_TIMEOUT_MS = 90_000;

export async function runConformance(
  context: Context,
  { args: { program: command }, options, onEnd }: ConformanceInvocation,
): Promise<Output> {
  const [program, ...args] = command;
  if (program === undefined)
    throw usageError("missing_option", "no program is given", {
      hint: "give its command line after --, as in `claims conformance -- ./nightly.sh`",
    });
  const mode = options.passive ? "passive" : "scenarios";
  const rules = selectRules(RULES, options.only);
  const grease = selectGrease(options.grease);
  const gate = await readGate(context, options, RULES);
  const seed = options.seed ?? DEFAULT_SEED;
  const setup: ProgramSetup = {
    command: { program, args },
    workspace: await createWorkspace(context, { onEnd }),
    seed,
    grease,
    allowHosts: options.allowHost ?? [],
    timeoutMs: options.timeout ?? (options.passive ? undefined : DEFAULT_TIMEOUT_MS),
  };
  const trials = options.passive
    ? await runPassively(context, setup)
    : await runAllScenarios(context, selectScenarios(rules), setup, options.verbose ?? false);
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

/** Most of the time, a program waits. */
const SCENARIOS_AT_ONCE = 4;

async function runAllScenarios(
  context: Context,
  scenarios: readonly ScenarioId[],
  setup: ProgramSetup,
  isVerbose: boolean,
): Promise<readonly Trial[]> {
  const count = formatCount(scenarios.length, "scenario");
  const progress = startProgress(context.stderr, `running ${setup.command.program} in ${count}`);
  let ended = 0;
  const run = async (id: ScenarioId, plain: PlainEnd | null) => {
    const trial = await runScenario(context, id, setup, plain);
    ended += 1;
    progress.update(`${ended} of ${count}: ${SCENARIOS[id].text}`);
    for (const { output } of isVerbose ? trial.runs : []) {
      printMessage(context, `${id} (${SCENARIOS[id].text}):`);
      for (const line of output.trimEnd().split("\n")) printMessage(context, `  ${line}`);
    }
    return trial;
  };
  try {
    const first = await run(PLAIN_SCENARIO, null);
    // A program that does nothing where everything works shows nothing elsewhere.
    const others = first.plain?.isSilent ? [] : scenarios.filter((id) => id !== PLAIN_SCENARIO);
    const limit = createLimit(SCENARIOS_AT_ONCE);
    const ends = await Promise.allSettled(others.map((id) => limit(() => run(id, first.plain))));
    const trials = ends.map((end) => {
      if (end.status === "rejected") throw end.reason;
      return end.value;
    });
    return [first, ...trials];
  } finally {
    progress.stop();
  }
}
