import type { SandboxOptions } from "../../../../../sandbox/index.ts";
import { describeDimension, GREASE_DIMENSIONS, type GreaseDimension } from "../../../../contract/grease.ts";
import { type ClaimsError, interruptedError, verificationError } from "../../../../domain/errors.ts";
import { startEmbeddedSandbox } from "../../../connection/embedded-sandbox.ts";
import type { Context } from "../../../context.ts";
import type { Document } from "../../../documents/index.ts";
import { type CheckReport, writeCheckReports } from "../../../output/check-report.ts";
import { type ListColumn, type Output, toListOutput } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { type ExecCommand, type ExecWorkspace, runChild } from "./child.ts";

type Trial = Document<"GreaseTrials">[number];

interface GreaseSettings {
  readonly line: ExecCommand;
  readonly workplace: ExecWorkspace;
  /** Without `grease`, all dimensions are tried. */
  readonly options: SandboxOptions;
  /** The reports to write. */
  readonly files: readonly string[];
}

/** Runs it without grease, then once for each dimension. A failure shows that it relies on an assumption. */
export function greaseEach(context: Context, { line, workplace, options, files }: GreaseSettings): Output {
  const { grease: given = "all" } = options;
  const dimensions = given === "all" ? GREASE_DIMENSIONS : given;
  const trials: Trial[] = [];
  const runWith = async (grease: readonly GreaseDimension[]) => {
    const sandbox = await startEmbeddedSandbox(
      context,
      { ...options, grease },
      { tempDir: workplace.folder },
    );
    const { variants } = sandbox.grease;
    try {
      printMessage(context, `${line.program}: ${variants.join(", ") || "nothing varied"}`);
      const exitCode = await runChild(context, sandbox, line, workplace, { mode: { kind: "aside" } });
      if (context.signal.aborted) throw interruptedError(context.signal.reason);
      return { exitCode, variants, isTouched: sandbox.grease.applied.length > 0 };
    } finally {
      await sandbox.close();
    }
  };
  async function* runTrials(): AsyncGenerator<Trial> {
    const plain = await runWith([]);
    if (plain.exitCode !== 0) {
      const message = `${line.program} fails without grease (${plain.exitCode})`;
      throw verificationError("fails_without_grease", message, {
        hint: "fix that first; its output is above",
      });
    }
    for (const dimension of dimensions) {
      const { exitCode, variants, isTouched } = await runWith([dimension]);
      const variant = (variants[0] ?? "").replace(`${dimension}=`, "");
      const passed = isTouched ? "pass" : "untouched";
      const result = exitCode === 0 ? passed : "fail";
      const trial = { dimension, variant, result, exitCode, ...describeDimension(dimension) } as const;
      trials.push(trial);
      yield trial;
    }
    await writeCheckReports(context, toCheckReport(line, trials), files);
  }
  return toListOutput({
    items: runTrials(),
    columns: COLUMNS,
    idOf: ({ dimension, result }) => (result === "fail" ? dimension : null),
    emptyMessage: "no dimension to vary",
    failure: () => reliesOnAssumptions(line, trials),
  });
}

const COLUMNS: readonly ListColumn<Trial>[] = [
  { name: "dimension", isId: true },
  { name: "variant" },
  { name: "result" },
  { name: "exitCode", title: "exit", align: "right" },
  { name: "assumption", title: "assumption", canWrap: true },
  { name: "source", isHidden: true },
];

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
