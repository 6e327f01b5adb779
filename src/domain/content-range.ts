export interface ContentRange {
  readonly first: number;
  readonly last: number;
  readonly total: number;
}

/** The rows of a page by its `Content-Range` (RFC 9110 §14.4), as in `items 0-24/67`; null without the number of all rows. */
export function parseContentRange(header = ""): ContentRange | null {
  const found = /(\d+)-(\d+)\/(\d+)\s*$/.exec(header);
  if (!found) return null;
  const [first = 0, last = 0, total = 0] = found.slice(1).map(Number);
  return { first, last, total };
}
