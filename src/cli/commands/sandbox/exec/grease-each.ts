import type { SandboxOptions } from "../../../../../sandbox/index.ts";
import { describeDimension, GREASE_DIMENSIONS, type GreaseDimension } from "../../../../contract/grease.ts";
import { type ClaimsError, interruptedError, verificationError } from "../../../../domain/errors.ts";
import { startEmbeddedSandbox } from "../../../connection/embedded-sandbox.ts";
import type { Context } from "../../../context.ts";
import { type CheckReport, writeCheckReports } from "../../../output/check-report.ts";
import { type ListColumn, type Output, toListOutput } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { type ExecCommand, type ExecWorkspace, runChild } from "./child.ts";

interface Trial {
  readonly dimension: GreaseDimension;
  readonly variant: string;
  /** `untouched`: it passed, but no response and no delivery was varied, so the result says nothing. */
  readonly result: "pass" | "fail" | "untouched";
  readonly exitCode: number;
  /** What the command relies on if it fails. */
  readonly assumption: string;
  /** The sentence of the interface that leaves it open. */
  readonly source: string;
}

interface TrialSettings {
  readonly line: ExecCommand;
  readonly workplace: ExecWorkspace;
  /** Without `grease`, all dimensions are tried. */
  readonly options: SandboxOptions;
}

interface GreaseSettings extends TrialSettings {
  readonly files: readonly string[];
}

/** Runs it without grease, then once for each dimension. A failure shows that it relies on an assumption. */
export function greaseEach(context: Context, { options, files, ...given }: GreaseSettings): Output {
  const { grease = "all", ...rest } = options;
  const dimensions = grease === "all" ? GREASE_DIMENSIONS : grease;
  const trials: Trial[] = [];
  async function* runTrials(): AsyncGenerator<Trial> {
    const { exitCode } = await runOnce(context, { ...given, options: { ...rest, grease: [] } });
    if (exitCode !== 0) throw failsWithoutGrease(given.line, exitCode);
    for (const dimension of dimensions) {
      const trial = await runTrial(context, dimension, { ...given, options: rest });
      trials.push(trial);
      yield trial;
    }
    await writeCheckReports(context, toCheckReport(given.line, trials), files);
  }
  return toListOutput({
    items: runTrials(),
    columns: COLUMNS,
    idOf: ({ dimension, result }) => (result === "fail" ? dimension : null),
    emptyMessage: "no dimension to vary",
    failure: () => reliesOnAssumptions(given.line, trials),
  });
}

async function runTrial(context: Context, dimension: GreaseDimension, trials: TrialSettings): Promise<Trial> {
  const options = { ...trials.options, grease: [dimension] };
  const { exitCode, varies, touched } = await runOnce(context, { ...trials, options });
  const [variant = ""] = varies.map((each) => each.replace(`${dimension}=`, ""));
  const passed = touched.length > 0 ? "pass" : "untouched";
  return {
    dimension,
    variant,
    result: exitCode === 0 ? passed : "fail",
    exitCode,
    ...describeDimension(dimension),
  };
}

async function runOnce(context: Context, { line, workplace, options }: TrialSettings) {
  const { signal } = context;
  const sandbox = await startEmbeddedSandbox(context, options, { tempDir: workplace.folder });
  try {
    printMessage(context, `${line.program}: ${sandbox.grease.variants.join(", ") || "nothing varied"}`);
    const exitCode = await runChild(context, sandbox, line, { ...workplace, mode: { kind: "aside" } });
    if (signal.aborted) throw interruptedError(signal.reason);
    return { exitCode, varies: sandbox.grease.variants, touched: sandbox.grease.applied };
  } finally {
    await sandbox.close();
  }
}

const COLUMNS: readonly ListColumn<Trial>[] = [
  { name: "dimension", isId: true },
  { name: "variant" },
  { name: "result" },
  { name: "exitCode", title: "exit", align: "right" },
  { name: "assumption", title: "assumption", canWrap: true },
  { name: "source", isHidden: true },
];

const failsWithoutGrease = ({ program }: ExecCommand, exitCode: number): ClaimsError =>
  verificationError("fails_without_grease", `${program} fails without grease (${exitCode})`, {
    hint: "fix that first; its output is above",
  });

function reliesOnAssumptions({ program }: ExecCommand, trials: readonly Trial[]): ClaimsError | undefined {
  const failed = trials.filter(({ result }) => result === "fail").map(({ dimension }) => dimension);
  if (failed.length === 0) return undefined;
  return verificationError(
    "relies_on_assumptions",
    `${program} relies on undocumented behaviour, and fails with ${failed.join(", ")}`,
    {
      hint: `each row names the assumption; run the command with --grease ${failed[0]} and without --grease-each`,
    },
  );
}

const toCheckReport = ({ program, args }: ExecCommand, trials: readonly Trial[]): CheckReport => ({
  title: ["claims sandbox exec --grease-each --", program, ...args].join(" "),
  notes: ["The command ran once for each dimension of behaviour that the interface leaves open."],
  checks: trials.map((trial) => ({
    id: trial.dimension,
    group: "assumed",
    title: `does not rely on this: ${trial.assumption}`,
    verdict: trial.result === "untouched" ? "skipped" : trial.result,
    label: trial.result === "fail" ? "fails" : trial.result,
    details:
      trial.result === "fail"
        ? [`${trial.variant}: exit ${trial.exitCode}`, `interface: ${trial.source}`]
        : [],
  })),
  json: trials,
});
