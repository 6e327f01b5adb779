import type { CountedPaging, Paging } from "../mapping.ts";
import {
  type Followed,
  followPages,
  isCounted,
  isSamePage,
  type ReadList,
  readRows,
  toPathOf,
} from "./follow-pages.ts";
import type { Row } from "./items.ts";
import {
  findEndSigns,
  listSigns,
  listTokens,
  listUrls,
  type Sign,
  showsEnd,
  showsMore,
} from "./page-signs.ts";
import type { Candidate, LearningPort } from "./port.ts";

export interface LearnedPaging {
  /** Undefined if it is not proved, or if the list needs no line. */
  readonly line?: Paging | undefined;
  /** All rows, if the list was read to its end. */
  readonly rows: readonly Row[] | null;
  /** Lines that gave another page without being a proof, if there must be a line. */
  readonly open?: readonly Candidate[];
  readonly note?: string | undefined;
}

/** What the run knows of other lists and of the service's own document. */
export interface PagingHints {
  /** Lines that other lists have: tried first, and no proof. */
  readonly lines: readonly Paging[];
  /** Query parameters that the service's OpenAPI document lists for this list. */
  readonly parameters: readonly string[];
  /** The number of rows of the first page of another list that goes on. */
  readonly pageSizes: ReadonlySet<number>;
  /** Whether names that are only usual are tried, too. */
  readonly triesUsualNames: boolean;
}

const TOKEN_PARAMETERS = [
  "cursor",
  "after",
  "next",
  "page_token",
  "pageToken",
  "start",
  "offset",
  "token",
  "marker",
];
const PAGE_PARAMETERS = ["page", "p", "pageNumber", "page[number]"];
const OFFSET_PARAMETERS = ["offset", "skip", "start"];
const SIZES = /size|limit|count|per_?page|take|max|^n$|top/i;

/** So that one list does not use up the trials of the others. */
const MAX_GUESSES = 14;

/** Whether the signs of a list say that it goes on, or its first page is as long as that of a list that does. */
export function findsMore(
  { first, path }: ReadList,
  { pageSizes, lines }: Pick<PagingHints, "pageSizes" | "lines"> = { pageSizes: new Set(), lines: [] },
) {
  const rows = readRows(first.json, path) ?? [];
  const signs = listSigns(first, { steps: toPathOf(path), path, rows });
  const isShown = showsMore(first, signs, rows.length);
  const isFull = rows.length > 1 && pageSizes.has(rows.length) && !showsEnd(first, signs, rows.length, lines);
  return { rows, signs, isShown, isLikely: isShown || isFull };
}

/** Reads a list to its end by each candidate, until one is proved. One list's paging is no proof for another. */
export async function learnPaging(
  port: LearningPort,
  list: ReadList,
  hints: PagingHints,
): Promise<LearnedPaging> {
  const { rows, signs, isShown, isLikely } = findsMore(list, hints);
  if (!isLikely) return { rows };
  const open: Candidate[] = [];
  const tried = new Set<string>();
  let guesses = 0;
  for await (const line of guessLines(port, list, hints, { rows, signs, isShown })) {
    const text = writeLine(line);
    if (tried.has(text) || guesses >= MAX_GUESSES) continue;
    tried.add(text);
    guesses += 1;
    const followed = await followPages(port, list, line);
    if (followed.fault !== null) continue;
    const total = totalOf(list, signs);
    if (!isCounted(line) || total === followed.rows.length)
      return { line, rows: followed.rows, note: describeTotal(total, followed.rows.length) };
    open.push({ value: text, shows: describeRows(followed) });
  }
  return { rows: null, open: [...open, { value: "none", shows: `${rows.length} rows, and that is all` }] };
}

const describeRows = ({ rows, pages }: Extract<Followed, { fault: null }>): string =>
  `${rows.length} rows on ${pages} pages`;

const describeTotal = (total: number | undefined, count: number): string | undefined =>
  total === undefined || total === count ? undefined : `says ${total} in all, and ends after ${count}`;

function totalOf({ first }: ReadList, signs: readonly Sign[]): number | undefined {
  const { rangeTotal, total } = findEndSigns(first, signs);
  return rangeTotal ?? (total && Number(total.value));
}

export const writeLine = (line: Paging): string => (typeof line === "string" ? line : JSON.stringify(line));

interface FirstPage {
  readonly rows: readonly Row[];
  readonly signs: readonly Sign[];
  readonly isShown: boolean;
}

/** The lines that may page a list, the surest first. */
async function* guessLines(
  port: LearningPort,
  list: ReadList,
  { lines, parameters, triesUsualNames }: PagingHints,
  { rows, signs, isShown }: FirstPage,
): AsyncGenerator<Paging> {
  const places = new Set(signs.map(({ place }) => place));
  if (list.first.headers.link) yield "link";
  for (const line of lines)
    if (typeof line === "object" && "next" in line && places.has(line.next)) yield line;
  for (const { place } of listUrls(signs)) yield { next: place };
  const known = lines.flatMap((line) =>
    typeof line === "object"
      ? [
          "parameter" in line
            ? line.parameter
            : "page" in line
              ? line.page
              : "offset" in line
                ? line.offset
                : undefined,
        ]
      : [],
  );
  const own = parameters.filter((name) => !SIZES.test(name));
  for (const { place } of isShown ? listTokens(signs) : [])
    for (const parameter of unique([
      ...known,
      ...own,
      lastName(place),
      ...(triesUsualNames ? TOKEN_PARAMETERS : []),
    ]))
      yield { next: place, parameter };
  const ends = listEnds(list, signs);
  const positions = signs.flatMap(({ place, value }) =>
    value === 0 || value === 1 ? [lastName(place)] : [],
  );
  const usual = triesUsualNames ? [...PAGE_PARAMETERS, ...OFFSET_PARAMETERS] : [];
  for (const name of unique([...known, ...own, ...positions, ...usual])) {
    const counted = await findCounting(port, list, name, rows);
    if (counted === null) continue;
    for (const end of ends) yield { ...counted, ...end };
    return;
  }
}

const unique = (names: readonly (string | undefined)[]): readonly string[] => [
  ...new Set(names.filter((name) => name !== undefined)),
];

const lastName = (place: string): string => toPathOf(place).at(-1)?.name ?? "";

/** How a counted list may end, the surest first. */
function listEnds(
  { first }: ReadList,
  signs: readonly Sign[],
): readonly Pick<CountedPaging, "total" | "pages" | "more">[] {
  const { total, pages, more, rangeTotal } = findEndSigns(first, signs);
  const ends = [
    ...(rangeTotal === undefined ? [] : [{}]),
    ...(total ? [{ total: total.place }] : []),
    ...(pages ? [{ pages: pages.place }] : []),
    ...(more ? [{ more: more.place }] : []),
  ];
  return ends.length > 0 ? ends : [{}];
}

/** Whether a parameter counts pages or rows: its first value gives the first page, its next one other rows. */
async function findCounting(
  port: LearningPort,
  { operation, path }: ReadList,
  name: string,
  firstRows: readonly Row[],
): Promise<CountedPaging | null> {
  const read = async (value: number) => {
    const response = await port.try({ operation, query: { [name]: String(value) } });
    return (response && response.status < 300 && readRows(response.json, path)) || [];
  };
  const isOther = (rows: readonly Row[]) =>
    rows.length > 0 && !rows.some((row) => firstRows.some((first) => isSamePage([row], [first])));
  const isOffset = /offset|skip|start|from/i.test(name);
  if (isOffset) {
    const next = isOther(await read(firstRows.length));
    return next && isSamePage(await read(0), firstRows) ? { offset: name } : null;
  }
  const second = await read(2);
  if (isSamePage(second, firstRows)) return null;
  const one = await read(1);
  if (isOther(second) && isSamePage(one, firstRows)) return { page: name, first: 1 };
  return isOther(one) && isSamePage(await read(0), firstRows) ? { page: name, first: 0 } : null;
}
