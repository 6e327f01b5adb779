/** One submission of a batch, as the manifest or the folder has it. */
export interface BatchRow {
  /** As the manifest names it, or its name in the folder. */
  readonly name: string;
  /** Its path from the manifest or the folder, however it is written: with its content, what a ledger knows it by. */
  readonly logName: string;
  /** Absolute. */
  readonly path: string;
  readonly seller: string;
  readonly protestDocs: boolean;
}

/** Where the rows of a batch come from, and what it is said to be. */
export interface BatchSource {
  /** Absolute; null for a manifest on stdin. */
  readonly path: string | null;
  readonly shownAs: string;
  readonly rows: readonly BatchRow[];
}
