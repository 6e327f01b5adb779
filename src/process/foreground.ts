import { readFileSync } from "node:fs";

/**
 * Whether this process may read from its terminal: one in the background (`command &`) would be stopped by SIGTTIN. Fields 5 and
 * 8 of proc(5) stat, the process group and that of the terminal; true where they are unknown.
 */
export function isInForeground(statFile = "/proc/self/stat"): boolean {
  try {
    // The name in field 2 may contain spaces and brackets.
    const [, , group, , , terminalGroup] = readFileSync(statFile, "latin1")
      .replace(/^.*\)\s*/s, "")
      .split(" ");
    return group === terminalGroup;
  } catch {
    return true;
  }
}
