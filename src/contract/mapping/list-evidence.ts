import type { LocatedItems } from "./list.ts";
import { hasTarget, readPageSigns, type Sign } from "./page-signs.ts";

interface ReadPage {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly located: LocatedItems | null;
  /** What the reader asks for next; null if it asks for nothing. */
  readonly next: unknown;
}

/** What the pages of a list say about rows that they do not have (product.md §4, "Complete"). */
export class ListEvidence {
  count = 0;
  /** How the last page says that there are more, as `the response has "has_more": true`; null if it does not, or if the client follows it. */
  more: string | null = null;
  /** As `the response has "total": 250`, if it is larger than the number of rows. */
  total: string | null = null;
  /** Whether the list has ended by its own sign. Its total may then count more than what was asked for. */
  hasEnd = false;
  #firstPage: number | undefined;
  #pagesRead = 0;

  add({ headers, next: followed, located }: ReadPage): void {
    this.count += located?.items.length ?? 0;
    this.#pagesRead += 1;
    const { more, last, next, page, pages, range, total } = readPageSigns(headers, located);
    this.#firstPage ??= page && Number(page.value);
    const position = page ? Number(page.value) + (this.#firstPage === 0 ? 1 : 0) : this.#pagesRead;
    const signs = [
      more?.value === true && quoteSign(more),
      last?.value === false && quoteSign(last),
      next && hasTarget(next.value) && `the response has a next page in "${next.name}"`,
      pages && position < Number(pages.value) && `it is page ${position} of ${pages.value}`,
      range &&
        range.last + 1 < range.total &&
        `the response has Content-Range: ${range.first}-${range.last}/${range.total}`,
    ];
    const shown = signs.find((sign) => typeof sign === "string");
    this.more = (followed === null && shown) || null;
    this.hasEnd = this.#pagesRead > 1 || (!shown && [more, last, next, pages, range].some(Boolean));
    this.total = total && Number(total.value) > this.count ? quoteSign(total) : null;
  }

  /** Why the rows are not all; null if nothing says so. @param isSelected whether the request had a filter, or a mapping says how the list ends */
  findGap(isSelected: boolean): string | null {
    return this.more ?? (isSelected || this.hasEnd ? null : this.total);
  }
}

const quoteSign = ({ name, value }: Sign): string => `the response has "${name}": ${String(value)}`;
