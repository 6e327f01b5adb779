import type { ListColumn } from "../../../output/output.ts";
import { sanitizeLine } from "../../../output/sanitize.ts";
import { createShortNames } from "../csv-files.ts";
import { type BatchItem, labelStatus } from "./item.ts";
import type { BatchSource } from "./row.ts";

type Column = ListColumn<BatchItem>;

/** A name that leaves less room beside it wraps. Other columns disappear before a shorter one does. */
const MIN_WIDTH_BESIDE_NAME = 24;

/** @param width characters of a line of the terminal */
export function createItemColumns({ rows, extraColumns }: BatchSource, width: number): readonly Column[] {
  const nameOf = createShortNames(rows.map(({ name }) => name));
  const longest = rows.reduce((max, { name }) => Math.max(max, nameOf(name).length), 0);
  return [
    {
      name: "file",
      isId: true,
      ...(longest > width - MIN_WIDTH_BESIDE_NAME && { canWrap: true as const }),
      value: ({ row }) => row.name,
      display: ({ row }) => nameOf(row.name),
    },
    { name: "state", isWhole: true, display: displayState },
    { name: "outcome", isOptional: true },
    { name: "jobId", title: "job", isWhole: true, isOptional: true },
    { name: "seller", value: ({ row }) => row.seller },
    ...extraColumns.map(
      (name): Column => ({ name, title: sanitizeLine(name), value: ({ row }) => row.extra[name] }),
    ),
    { name: "key", isHidden: true },
    ...(["code", "line", "message", "hint"] as const).map(
      (name): Column => ({ name: `error.${name}`, isHidden: true, value: ({ reason }) => reason?.[name] }),
    ),
  ];
}

/** The service's name of a state, and the words of the summary for a status. */
const displayState = ({ state, status }: BatchItem): string =>
  state === status ? labelStatus(status) : state;
