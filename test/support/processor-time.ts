import { readFileSync } from "node:fs";

/** Milliseconds of processor time. */
export interface ProcessorTime {
  readonly ownMs: number;
  /** Of ended child processes that were waited for, with their own children. */
  readonly childrenMs: number;
}

declare module "vitest" {
  interface TaskMeta {
    processorTime?: ProcessorTime;
  }
}

/** Linux counts in hundredths of a second (`getconf CLK_TCK`). */
const MS_PER_TICK = 10;

export function readProcessorTime(): ProcessorTime {
  const { user, system } = process.cpuUsage();
  // The name of the process, in parentheses, can contain spaces (proc(5)); `cutime` and `cstime` are 13 fields behind it.
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    ownMs: (user + system) / 1000,
    childrenMs: (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK,
  };
}

export function processorTimeSince(start: ProcessorTime): ProcessorTime {
  const now = readProcessorTime();
  return { ownMs: now.ownMs - start.ownMs, childrenMs: now.childrenMs - start.childrenMs };
}
