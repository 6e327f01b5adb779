import { basename, join } from "node:path";
import type { FollowOptions } from "./follow-item.ts";
import type { BatchRow } from "./row.ts";

/** Names the folder of a job after its file, or after the job id if two files have the same name. */
export function assignFolders(rows: readonly BatchRow[], parent: string): FollowOptions["folderFor"] {
  const nameOf = ({ path }: BatchRow) => safeFolderName(basename(path).replace(/\.csv$/i, ""));
  const count = new Map<string, number>();
  for (const row of rows) count.set(nameOf(row), (count.get(nameOf(row)) ?? 0) + 1);
  return ({ row, jobId }) => {
    const name = nameOf(row);
    if (count.get(name) === 1) return join(parent, name);
    return join(parent, safeFolderName(encodeURIComponent((jobId ?? "").toWellFormed())));
  };
}

/** An empty name, `.` or `..` would be the parent folder or the one above it. */
const safeFolderName = (name: string): string => name.replace(/^\.{0,2}$/, "_$&");
