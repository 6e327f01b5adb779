import { readdirSync, readFileSync } from "node:fs";

/**
 * The pids of all that a process has started, and of all that those have, as long as whoever started them lives: the
 * children of one that has ended belong to another. None where /proc does not say it (proc(5): task/TID/children).
 */
export function descendantsOf(pid: number): number[] {
  const children = childrenOf(pid);
  return [...children, ...children.flatMap(descendantsOf)];
}

/** Every thread has its own. */
function childrenOf(pid: number): number[] {
  const folder = `/proc/${pid}/task`;
  try {
    const lists = readdirSync(folder).map((thread) =>
      readFileSync(`${folder}/${thread}/children`, "latin1").trim(),
    );
    return lists.filter(Boolean).flatMap((list) => list.split(" ").map(Number));
  } catch {
    return [];
  }
}
