import type { SandboxOptions } from "../../../../../sandbox/index.ts";
import { describeDimension, GREASE_DIMENSIONS, type GreaseDimension } from "../../../../contract/grease.ts";
import { type ClaimsError, interruptedError, verificationError } from "../../../../domain/errors.ts";
import { startEmbeddedSandbox } from "../../../connection/embedded-sandbox.ts";
import type { Context } from "../../../context.ts";
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
  /** Without `grease`, all dimensions. */
  readonly options: SandboxOptions;
}

/**
 * Runs the command once against a sandbox without grease, and then once for each dimension against a new one that varies
 * only that dimension. A failure shows that the command relies on an assumption.
 */
export function greaseEach(context: Context, { options, ...given }: TrialSettings): Output {
  const { grease = "all", ...rest } = options;
  const dimensions = grease === "all" ? GREASE_DIMENSIONS : grease;
  const failed: Trial[] = [];
  async function* runTrials(): AsyncGenerator<Trial> {
    const { exitCode } = await runOnce(context, { ...given, options: { ...rest, grease: [] } });
    if (exitCode !== 0) throw failsWithoutGrease(given.line, exitCode);
    for (const dimension of dimensions) {
      const trial = await runTrial(context, dimension, { ...given, options: rest });
      if (trial.result === "fail") failed.push(trial);
      yield trial;
    }
  }
  return toListOutput({
    items: runTrials(),
    columns: COLUMNS,
    idOf: ({ dimension, result }) => (result === "fail" ? dimension : null),
    emptyMessage: "no dimension to vary",
    failure: () => (failed.length > 0 ? reliesOnAssumptions(given.line, failed) : undefined),
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
  const sandbox = await startEmbeddedSandbox(context, options);
  try {
    printMessage(context, `${line.program}: ${sandbox.grease.variants.join(", ") || "nothing varied"}`);
    const exitCode = await runChild(context, sandbox, line, { ...workplace, mode: { kind: "aside" } });
    if (signal.aborted) throw interruptedError(signal.reason);
    return { exitCode, varies: sandbox.grease.variants, touched: sandbox.grease.applied() };
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

const reliesOnAssumptions = ({ program }: ExecCommand, failed: readonly Trial[]): ClaimsError =>
  verificationError(
    "relies_on_assumptions",
    `${program} relies on undocumented behaviour, and fails with ${failed.map(({ dimension }) => dimension).join(", ")}`,
    {
      hint: `each row names the assumption; run the command with --grease ${failed[0]?.dimension} and without --grease-each`,
    },
  );
