import { spawnSync } from "node:child_process";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Reporter, TestModule } from "vitest/node";
import { startSandbox } from "../../sandbox/index.ts";
import { type ProcessorTime, processorTimeSince, readProcessorTime } from "./processor-time.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const FILES = 20;
const SAMPLES = 10;

interface Row extends ProcessorTime {
  readonly name: string;
  readonly tests: number;
}

/** Prints where the processor time of a run goes: `npm run test:cost`. Other work on the machine hardly changes it. */
export default class CostReporter implements Reporter {
  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const main = readProcessorTime();
    const rows = modules.map(toRow).sort((one, other) => totalMs(other) - totalMs(one));
    const all: Row = {
      name: `all ${rows.length} files`,
      tests: sum(rows, ({ tests }) => tests),
      ownMs: sum(rows, ({ ownMs }) => ownMs),
      childrenMs: sum(rows, ({ childrenMs }) => childrenMs),
    };
    const lines = [
      "processor time, of which child processes; tests; file",
      ...rows.slice(0, FILES).map(toLine),
      toLine(all),
      `${seconds(main.ownMs)}  Vitest's main process, which transforms the sources`,
      `${(await sandboxMs()).toFixed(0)} ms for a started sandbox, ${processMs().toFixed(0)} ms for a process of the command line`,
    ];
    process.stdout.write(`\n${lines.join("\n")}\n`);
  }
}

function toRow(module: TestModule): Row {
  const { ownMs, childrenMs } = module.meta().processorTime ?? { ownMs: 0, childrenMs: 0 };
  return {
    name: relative(ROOT, module.moduleId),
    tests: [...module.children.allTests()].length,
    ownMs,
    childrenMs,
  };
}

const totalMs = ({ ownMs, childrenMs }: ProcessorTime) => ownMs + childrenMs;

const sum = (rows: readonly Row[], count: (row: Row) => number) =>
  rows.reduce((total, row) => total + count(row), 0);

const seconds = (ms: number) => `${(ms / 1000).toFixed(1).padStart(6)} s`;

const toLine = (row: Row) =>
  `${seconds(totalMs(row))} ${seconds(row.childrenMs)} ${String(row.tests).padStart(6)}  ${row.name}`;

async function sandboxMs(): Promise<number> {
  await (await startSandbox()).close();
  const start = readProcessorTime();
  for (let count = 0; count < SAMPLES; count++) await (await startSandbox()).close();
  return processorTimeSince(start).ownMs / SAMPLES;
}

function processMs(): number {
  const start = readProcessorTime();
  for (let count = 0; count < SAMPLES; count++) {
    spawnSync(process.execPath, [`${ROOT}bin/claims.js`, "profiles", "list", "--json"]);
  }
  return processorTimeSince(start).childrenMs / SAMPLES;
}
