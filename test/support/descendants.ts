import { readdirSync, readFileSync } from "node:fs";

/**
 * The pids of the children of a process, and of their children. Without /proc (proc(5): task/TID/children), the list is
 * empty. The children of a process that has ended belong to another process.
 */
export function descendantsOf(pid: number): number[] {
  const children = childrenOf(pid);
  return [...children, ...children.flatMap(descendantsOf)];
}

/** Each thread has its own children. */
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
