/** Where a page of a list begins, and how long it is: rows below this seq, the newest first. */
export interface PageRequest {
  /** Null: from the newest one. */
  readonly before: number | null;
  readonly limit: number;
}

/** A page, and whether there is more behind it. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

/** Of one row more than was asked for, the page. */
export function pageOf<Row>(found: readonly Row[], { limit }: PageRequest): Page<Row> {
  return { rows: found.slice(0, limit), hasMore: found.length > limit };
}
