import { PAGE_COUNT_NAME } from "../contract/mapping/paging.ts";
import { parseContentRange } from "../domain/content-range.ts";
import { isRecord } from "../domain/json.ts";
import type { Page } from "./paging.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Where a service may describe a list, besides the object that holds it (product.md §4, "Complete"). */
const DESCRIPTIONS = /^(meta|metadata|page|pageinfo|paging|pagination|links)$/;

/** Names in lower case, without separators. */
const MORE = /^(has)?(more|next)(page|pages|rows|items|results|records)?$/;
const LAST = /^(is)?last(page)?$/;
const NEXT =
  /^(odata|at)?next(page|start|offset|position|from|index|batch|skip|row)?(link|url|uri|href|cursor|token|id|key|number|position|marker)?$|^(more|continuation(token)?)$/;
/** A position without a direction: the next one, unless the response says so in another way. */
const POSITION = /^((end|after)?cursor|after|pagetoken|bookmark|marker)$/;
const PAGE = /^(number|(current)?page(number|no|index)?)$/;
const TOTAL = /^total(count|items|results|records|rows|elements)?$/;

const normalizeName = (name: string): string => name.replace(/[^a-z\d]/gi, "").toLowerCase();

/** The objects that hold the list, and what describes it in each of them: also the `page` of a `meta`. */
const listDescriptions = (holders: readonly Fields[]): readonly Fields[] =>
  holders.flatMap((holder) => {
    const described = describe(holder);
    return [holder, ...described, ...described.flatMap(describe)];
  });

const describe = (holder: Fields): readonly Fields[] =>
  Object.entries(holder).flatMap(([name, value]) =>
    DESCRIPTIONS.test(normalizeName(name)) && isRecord(value) ? [value] : [],
  );

/** What the pages of a list say about rows that they do not have. */
export class ListEvidence {
  count = 0;
  /** How the last page says that there are more, as `the response has "has_more": true`; null if it does not, or if the client follows it. */
  more: string | null = null;
  /** As `the response has "total": 250`, if it is larger than the number of rows. */
  total: string | null = null;
  /** Whether the service pages the list. Its total may then count more than what was asked for. */
  showsPaging = false;
  #firstPage: number | undefined;
  #pagesRead = 0;

  add({ headers, next, located }: Page): void {
    const rows = (located?.items ?? []).map(({ sent }) => sent);
    this.count += rows.length;
    this.#pagesRead += 1;
    const objects = listDescriptions(located?.holders ?? []);
    const find = (pattern: RegExp, test: (value: unknown) => boolean = () => true) =>
      objects
        .flatMap((object) => Object.entries(object))
        .find(([name, value]) => pattern.test(normalizeName(name)) && test(value));
    const hasMore = find(MORE, (value) => typeof value === "boolean");
    const isLast = find(LAST, (value) => value === false);
    const link =
      find(NEXT, hasTarget) ??
      find(NEXT) ??
      (hasMore || rows.length === 0 ? undefined : find(POSITION, hasTarget));
    const [, page] = find(PAGE, isCount) ?? [];
    const pages = find(PAGE_COUNT_NAME, isCount);
    const range = parseContentRange(headers["content-range"]);
    this.#firstPage ??= isCount(page) ? Number(page) : undefined;
    const position = isCount(page) ? Number(page) + (this.#firstPage === 0 ? 1 : 0) : this.#pagesRead;
    this.showsPaging ||= [next, hasMore, isLast, link, pages, range, find(/^offset$/)].some(Boolean);
    const signs = [
      hasMore?.[1] === true && quoteField(hasMore),
      isLast && quoteField(isLast),
      link && hasTarget(link[1]) && `the response has a next page in "${link[0]}"`,
      pages && position < Number(pages[1]) && `it is page ${position} of ${pages[1]}`,
      range &&
        range.last + 1 < range.total &&
        `the response has Content-Range: ${range.first}-${range.last}/${range.total}`,
    ];
    this.more = (next === null && signs.find((sign) => typeof sign === "string")) || null;
    const isMoney = objects.some((object) => isAmount(object, rows));
    const total = find(TOTAL, (value) => Number.isSafeInteger(value) && Number(value) > this.count);
    this.total = total && !isMoney ? quoteField(total) : null;
  }
}

const isCount = (value: unknown): boolean => /^\d{1,15}$/.test(String(value));

/** Whether it is the link, cursor or number of a page. JSON:API writes a link as an object. */
function hasTarget(value: unknown): boolean {
  const target = isRecord(value) ? value.href : value;
  return (typeof target === "string" || typeof target === "number") && !/^(|false|no)$/i.test(String(target));
}

/** Whether what is called `total` is money: there is a currency, or it is the sum of a column. */
function isAmount(object: Fields, rows: readonly Fields[]): boolean {
  const columns = Object.keys(rows[0] ?? {}).filter((name) => !/id$/i.test(name));
  const isSum = (name: string) => rows.reduce((sum, row) => sum + Number(row[name]), 0) === object.total;
  return (
    "total" in object && (columns.some(isSum) || Object.keys(object).some((name) => /currency/i.test(name)))
  );
}

const quoteField = ([name, value]: readonly [string, unknown]): string =>
  `the response has "${name}": ${String(value)}`;
