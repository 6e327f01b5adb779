import { basename, join } from "node:path";
import { groupBy } from "../../../../domain/group-by.ts";
import type { BatchRow } from "./manifest.ts";
import type { BatchContext } from "./open-batch.ts";

/** Names the folder of a job after its file, or after the job id if two files have the same name. */
export function assignFolders(rows: readonly BatchRow[], parent: string): BatchContext["folderFor"] {
  const nameOf = ({ path }: BatchRow) => safeFolderName(basename(path).replace(/\.csv$/i, ""));
  const byName = groupBy(rows, nameOf);
  return ({ row, jobId }) => {
    const name = nameOf(row);
    const isOnly = byName.get(name)?.length === 1;
    return join(parent, isOnly ? name : safeFolderName(encodeURIComponent((jobId ?? "").toWellFormed())));
  };
}

/** An empty name, `.` or `..` would be the parent folder or the one above it. */
const safeFolderName = (name: string): string => name.replace(/^\.{0,2}$/, "_$&");
