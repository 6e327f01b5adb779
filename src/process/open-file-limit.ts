import { readFileSync } from "node:fs";

/** How many files and connections this process may have open at once; Infinity where the system does not say. */
export function readOpenFileLimit(): number {
  try {
    const [, soft = ""] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
    return soft === "" ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
