import { sep } from "node:path";
import type { TableBlock } from "../../../output/output.ts";

/** The names without the folder that all have in common: cut at their ends, they would all look alike. */
export function createShortNames(names: readonly string[]): (name: string) => string {
  const folders = names.map((name) => name.split(sep).slice(0, -1));
  const [first = []] = folders;
  const end = first.findIndex((part, index) => folders.some((folder) => folder[index] !== part));
  const length = end < 0 ? first.length : end;
  return (name) => name.split(sep).slice(length).join(sep);
}

/** For a terminal: why files are not complete, and what to do. A third column would be too narrow for a reason. */
export const reasonsTable = (
  title: string,
  reasons: readonly { readonly name: string; readonly text: string; readonly hint: string }[],
): TableBlock => ({
  kind: "table",
  title,
  columns: [{ name: "file" }, { name: "reason and what to do" }],
  rows: reasons.flatMap(({ name, text, hint }) => [
    [name, text],
    ["", `→ ${hint}`],
  ]),
});
