import type { Day } from "../entries/dates.ts";
import type { Layout } from "../entries/entry.ts";
import type { Cells } from "./cells.ts";

/** The entry that is about to be changed. */
export interface EntryBeforeChange {
  readonly cells: Cells;
  /** The entry number before it in the file. */
  readonly previousNumber: string;
  readonly entryDate: Day;
  readonly asOf: Day;
}

/** Cells of an entry that are written otherwise than they are right. */
export interface CellChange {
  /** The one layout that it is for. */
  readonly onlyIn?: Layout;
  /** In es003, where an entry has several rows: only the one outside chapter 99; otherwise all. */
  readonly in?: "goods row";
  readonly cells: (changing: EntryBeforeChange) => Cells;
}
