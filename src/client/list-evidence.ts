import type { LocatedItems } from "../contract/mapping/list.ts";
import { formatPath, type Path, pathOf } from "../contract/mapping/path.ts";
import { parseContentRange } from "../domain/content-range.ts";
import { ClaimsError } from "../domain/errors.ts";
import { type Fields, isRecord } from "../domain/json.ts";

/** Where a service may describe a list, besides the object that holds it (product.md §4, "Complete"). */
const DESCRIPTIONS =
  /^((response)?meta(data)?|pages?|pageinfo|paging|pagination|pager|cursors?|links?|navigation|window|range|(hydra)?view|(result)?info|additionaldata)$/;
const MAX_DEPTH = 2;

/** Names in lower case, without separators. */
const MORE =
  /^(has)?(more|next)(page|pages|rows|items|results|records|data)?(available|incollection)?$|^(is)?(truncated|incomplete)$|^incompleteresults$/;
/** Any page of a list may lack rows. */
const PARTIAL = /^(is)?partial(results?|response)?$/;
const REMAINING = /^(remaining|rest)(items?|results?|records?|rows?|pages?)?(count)?$/;
const LAST = /^(is)?last(page)?$|^(is)?(done|complete)$|^endof(results|list|data|records|pages|items)$/;
const NEXT =
  /^(odata|at|hydra)?next(page|start|offset|position|from|index|batch|skip|row|records?|results?|items|set|continuation|cursor)?(link|url|uri|href|cursor|token|id|key|number|position|marker)?$|^(more|continuation|continue|lastevaluatedkey|(continuation|resume|continue)(token|after|at|from))$/;
/** A position without a direction: the next one, unless the response says so in another way. */
const POSITION = /^((end|after)?cursor|after|(page|scroll)token|scrollid|bookmark|marker)$/;
const PAGE = /^(number|(current)?page(number|no|index)?)$/;
const PAGE_COUNT = /^(pages|lastpage|(total|num|numberof)pages|(total)?pagecount)$/;
const TOTAL =
  /^total(count|items|results|records|rows|elements|hits|size|entries|number|available)?$|^(opensearch|hydra)total(results|items)$|^recordstotal$|^odatacount$/;
/** All rows, or those of this page. */
const COUNT = /^((item|result|record|row|element|entry)s?)?count$/;

/** `Next-Page`, `next_page` and `nextPage` are one name. */
const normalizeName = (name: string): string => name.replace(/[^\p{L}\d]/gu, "").toLowerCase();

/** A value beside the rows of a list, which may say something of its pages. */
export interface PagingHint {
  /** Where it is, as a mapping says it: a path, or `header:NAME`. */
  readonly locator: string;
  readonly name: string;
  readonly value: unknown;
}

export type PagingHints = ReturnType<typeof readPagingHints>;

/**
 * What the response to a list says of its rows, and of those that it does not have.
 *
 * @param isDescription whether an object beside the list describes it, by its name in lower case without separators
 */
export function readPagingHints(
  headers: Readonly<Record<string, string>>,
  located: LocatedItems | null,
  isDescription = (name: string): boolean => DESCRIPTIONS.test(name),
) {
  const { holders = [], path = [] } = located ?? {};
  const all = holders.flatMap((holder, level) => {
    const { [path[level]?.name ?? ""]: _, ...beside } = holder;
    return listHints(beside, path.slice(0, level), MAX_DEPTH, isDescription);
  });
  const rows = (located?.items ?? []).map(({ sent }) => sent);
  const find = (pattern: RegExp, test: (value: unknown) => boolean) =>
    all.find(({ name, value }) => pattern.test(normalizeName(name)) && test(value));
  const more = find(MORE, isYesOrNo);
  const next = find(NEXT, hasTarget) ?? find(NEXT, (value) => value === null || value === "");
  const remaining = find(/^(rate)?(limit)?reset/, () => true) ? undefined : find(REMAINING, isCount);
  const isOpen = more === undefined && next === undefined && rows.length > 0;
  const position = isOpen ? (find(POSITION, hasTarget) ?? find(/^offset$/, isOpaque)) : undefined;
  const total = find(TOTAL, isCount);
  const isMoney = find(/currency/, () => true) !== undefined || isSumOfColumn(total?.value, rows);
  return {
    all,
    more,
    partial: find(PARTIAL, isYes),
    remaining,
    last: find(LAST, isYesOrNo),
    next: next ?? position,
    page: find(PAGE, isCount),
    pages: find(PAGE_COUNT, isCount),
    total: (isMoney ? undefined : total) ?? findTotalHeader(headers),
    count: find(COUNT, isCount),
    range: parseContentRange(headers["content-range"]),
  };
}

/** Whether the response says in words that no page follows, as `"has_more": false`. */
export function saysNoMore(headers: Readonly<Record<string, string>>, located: LocatedItems | null): boolean {
  const { more } = readPagingHints(headers, located);
  return more !== undefined && !isYes(more.value);
}

/** The values in an object, and in those of its members that describe a list. A link may be an object with its address. */
function listHints(
  holder: Fields,
  path: Path,
  depth: number,
  isDescription: (name: string) => boolean,
): readonly PagingHint[] {
  return Object.entries(holder).flatMap(([name, value]) => {
    const ownPath = [...path, ...pathOf(name)];
    if (Array.isArray(value)) {
      const link = value.find((each) => isRecord(each) && each.rel === "next");
      return link ? [{ locator: formatPath(ownPath), name: "next", value: link.href ?? link.url }] : [];
    }
    if (!isRecord(value)) return [{ locator: formatPath(ownPath), name, value }];
    const address =
      ["href", "url", "uri"].find((each) => typeof value[each] === "string") ??
      // HubSpot: `{"next": {"after": …}}`.
      (NEXT.test(normalizeName(name))
        ? Object.keys(value).find((each) => hasTarget(value[each]))
        : undefined);
    if (address !== undefined)
      return [{ locator: formatPath([...ownPath, ...pathOf(address)]), name, value: value[address] }];
    return depth > 0 && isDescription(normalizeName(name))
      ? listHints(value, ownPath, depth - 1, isDescription)
      : [];
  });
}

/** Also as text. */
const isYesOrNo = (value: unknown): boolean => /^(true|false)$/i.test(String(value));

const isYes = (value: unknown): boolean => String(value).toLowerCase() === "true";

const isCount = (value: unknown): boolean => /^\d{1,15}$/.test(String(value));

/** Whether it is the link, cursor or number of a page. */
export const hasTarget = (value: unknown): boolean =>
  (typeof value === "string" || typeof value === "number") && !/^(|false|true|no)$/i.test(String(value));

/** Airtable has the position of the next page as its offset, which is no number of rows. */
const isOpaque = (value: unknown): boolean => hasTarget(value) && !isCount(value);

const isSumOfColumn = (total: unknown, rows: readonly Fields[]): boolean =>
  total !== undefined &&
  Object.keys(rows[0] ?? {}).some(
    (name) => !/id$/i.test(name) && rows.reduce((sum, row) => sum + Number(row[name]), 0) === Number(total),
  );

function findTotalHeader(headers: Readonly<Record<string, string>>): PagingHint | undefined {
  const found = Object.entries(headers).find(
    ([name, value]) => TOTAL.test(normalizeName(name.replace(/^x-/, ""))) && isCount(value),
  );
  return found && { locator: `header:${found[0]}`, name: found[0], value: found[1] };
}

interface ReadPage {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly located: LocatedItems | null;
  /** The URL that the reader asks for next; null if it asks for nothing. */
  readonly next: string | null;
}

/** What the pages of a list say about rows that they do not have (product.md §4, "Complete"). */
export class ListEvidence {
  count = 0;
  /** How the last page says that there are more, as `the response has "has_more": true`; null if it does not, or if the client follows it. */
  more: string | null = null;
  /** As `the response has "total": 250`, if it is larger than the number of rows. */
  total: string | null = null;
  /** Whether a page says that the list has ended. Its total may then count more than what was asked for. */
  hasEnd = false;
  #firstPage: number | undefined;
  #pagesRead = 0;
  #partial: string | null = null;

  /** @param count the rows of the page, if they are not located */
  add({ headers, next: followed, located }: ReadPage, count = located?.items.length ?? 0): void {
    this.count += count;
    this.#pagesRead += 1;
    const hints = readPagingHints(headers, located);
    const { more, last, next, page, pages, partial, range, total = hints.count } = hints;
    this.#firstPage ??= page && Number(page.value);
    // Some services count pages from 0.
    const pageNumber = page ? Number(page.value) + (this.#firstPage === 0 ? 1 : 0) : this.#pagesRead;
    const shown = quoteMore(hints, headers, pageNumber);
    if (partial) this.#partial = quoteHint(partial);
    this.more = this.#partial ?? (followed === null ? shown : null);
    const isLast = shown === null && [more, last, next, pages, range].some(Boolean);
    this.hasEnd = this.#pagesRead > 1 || isLast;
    this.total = total && Number(total.value) > this.count ? quoteHint(total) : null;
  }

  /** Why the rows are not all; null if nothing says so. @param hasOtherTotal whether the total may count others than the rows that were counted */
  findGap(hasOtherTotal: boolean): string | null {
    return this.more ?? (hasOtherTotal || this.hasEnd ? null : this.total);
  }
}

/** How a page says that there are more rows; null if it does not. @param pageNumber from 1 */
function quoteMore(
  { remaining, more, last, next, pages, range }: PagingHints,
  { "x-next-page": nextPage }: Readonly<Record<string, string>>,
  pageNumber: number,
): string | null {
  if (remaining && Number(remaining.value) > 0) return quoteHint(remaining);
  if (more && isYes(more.value)) return quoteHint(more);
  if (last && !isYes(last.value)) return quoteHint(last);
  // If the response says "has_more": false, its cursor leads nowhere.
  if (next && !more && hasTarget(next.value)) return `the response has a next page in "${next.name}"`;
  // GitLab: the header is empty on the last page.
  if (nextPage !== undefined) return nextPage === "" ? null : `the response has X-Next-Page: ${nextPage}`;
  if (pages && pageNumber < Number(pages.value)) return `it is page ${pageNumber} of ${pages.value}`;
  if (range && range.last + 1 < range.total)
    return `the response has Content-Range: ${range.first}-${range.last}/${range.total}`;
  return null;
}

const quoteHint = ({ name, value }: PagingHint): string => `the response has "${name}": ${String(value)}`;

/** The pages of a list until one leads elsewhere: what stands in the way is evidence of more. */
export async function* readUntilElsewhere<Read>(
  pages: AsyncIterable<Read>,
  evidence: ListEvidence,
): AsyncGenerator<Read> {
  try {
    yield* pages;
  } catch (error) {
    if (!(error instanceof ClaimsError) || error.code !== "paging_elsewhere") throw error;
    evidence.more = error.message;
  }
}
