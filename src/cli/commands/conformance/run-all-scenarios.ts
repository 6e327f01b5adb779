import { PLAIN_SCENARIO, SCENARIOS, type ScenarioId } from "../../../conformance/scenarios.ts";
import type { PlainEnd, Trial } from "../../../conformance/trial.ts";
import type { GreaseDimension } from "../../../contract/grease.ts";
import { formatCount } from "../../../domain/numbers.ts";
import type { Context } from "../../context.ts";
import type { BaseInvocation } from "../../framework/command.ts";
import { startProgress } from "../../output/progress.ts";
import { mapConcurrently } from "../diligence/batch/map-concurrently.ts";
import { createWorkspace } from "../sandbox/exec/child.ts";
import type { ConformanceOptions } from "./conformance.ts";
import { runScenario } from "./run-scenario.ts";

export interface ProgramInvocation extends Pick<BaseInvocation, "onEnd"> {
  readonly command: readonly string[];
  readonly seed: number;
  readonly grease: readonly GreaseDimension[];
  readonly options: ConformanceOptions;
}

/** Most of the time, a program waits. */
const SCENARIOS_AT_ONCE = 4;

/** A program may give up after a minute without a response, as many HTTP clients do. */
const DEFAULT_TIMEOUT_MS = 90_000;

/** It lasts longer than all others, which run beside it. */
const FIRST: ScenarioId = "submit.timeout";

/** Returns the trials in the order of the scenarios. */
export async function runAllScenarios(
  context: Context,
  scenarios: readonly ScenarioId[],
  { command: [program = "", ...args], seed, grease, options, onEnd }: ProgramInvocation,
): Promise<readonly Trial[]> {
  const workspace = await createWorkspace(context, { onEnd });
  workspace.guard.watchPath();
  const settings = {
    command: { program, args },
    workspace,
    seed,
    grease,
    timeoutMs: options.timeout ?? DEFAULT_TIMEOUT_MS,
    isVerbose: options.verbose ?? false,
  };
  const trials = new Map<ScenarioId, Trial>();
  const progress = startProgress(
    context.stderr,
    `running ${program} in ${formatCount(scenarios.length, "scenario")}`,
  );
  let plain: PlainEnd | null = null;
  const run = async (id: ScenarioId) => {
    const trial = await runScenario(context, id, settings, plain);
    trials.set(id, trial);
    plain ??= trial.plain;
    progress.update(`${trials.size} of ${formatCount(scenarios.length, "scenario")}: ${SCENARIOS[id].text}`);
  };
  const others = scenarios.filter((id) => id !== PLAIN_SCENARIO);
  others.sort((one, other) => Number(other === FIRST) - Number(one === FIRST));
  try {
    await run(PLAIN_SCENARIO);
    // A program that does nothing where everything works shows nothing elsewhere.
    if ((plain as PlainEnd | null)?.isSilent) return [...trials.values()];
    for await (const _ of mapConcurrently(others, SCENARIOS_AT_ONCE, run));
  } finally {
    progress.stop();
  }
  return scenarios.flatMap((id) => trials.get(id) ?? []);
}
