import {
  hasTarget,
  ListEvidence,
  type PagingHint,
  type PagingHints,
  readPagingHints,
} from "../../../../client/list-evidence.ts";
import { asRecord, ContractReader } from "../../../../contract/compare/contract-reader.ts";
import type { ListItem, LocatedItems } from "../../../../contract/mapping/list.ts";
import type { CountedPaging, Paging } from "../../../../contract/mapping/mapping.ts";
import { ResponseReader } from "../../../../contract/mapping/read.ts";
import type { ListName } from "../../../../contract/mapping/resources.ts";
import type { Operation } from "../../../../contract/operations/operation.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { isRecord, isTooDeep, parseJsonText } from "../../../../domain/json.ts";
import { findLink } from "../../../../domain/links.ts";
import { type Candidate, formatLine, type LearnedLines } from "./lines.ts";
import { isSuccess, type ServiceReads } from "./service-reads.ts";

/** What the lists of a run have in common. */
export interface ListRun {
  readonly reads: ServiceReads;
  readonly lines: LearnedLines;
  note(text: string): void;
  /** Those by which lists that were read go on: tried first for the others, and no proof. */
  readonly parameters: string[];
  /** The numbers of rows of the first pages of lists that go on. */
  readonly pageSizes: Set<number>;
}

/** The first page of a list, read without a guess. */
export interface FirstPage {
  readonly name: ListName;
  readonly operation: Operation;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly located: LocatedItems;
  /** Query parameters that the service's OpenAPI document lists for this list. */
  readonly parameters: readonly string[];
  /** Whether the work of a partner needs the list. Parameters that are only usual are tried, too. */
  readonly isNeeded: boolean;
}

const TOKEN_PARAMETERS = ["cursor", "after", "next", "page_token", "start", "offset", "token", "marker"];
const COUNTING_PARAMETERS = ["page", "pageNumber", "page[number]", "offset", "skip", "start"];
const SIZES = /size|limit|count|per_?page|take|max|^n$|top/i;

/** So that one list does not use up the trials of the others. */
const MAX_GUESSES = 14;

/** The query parameters that a service's own OpenAPI or Swagger document lists for a read. It may be any text. */
export function listDocumentedParameters(text: string, { path }: Operation): readonly string[] {
  const document = parseJsonText(text);
  if (!isRecord(document) || isTooDeep(document)) return [];
  const own = Object.keys(asRecord(document.paths)).find((name) => name.replace(/\/+$/, "").endsWith(path));
  return new ContractReader(document)
    .listParameters(own, "get")
    .flatMap(({ in: place, name }) => (place === "query" && typeof name === "string" ? [name] : []));
}

/** The items of a response by the lines so far; null if they are elsewhere. */
export function locateRows(lines: LearnedLines, operation: Operation, json: unknown): LocatedItems | null {
  try {
    return new ResponseReader(lines.toMapping(), operation).locateItems(json);
  } catch (error) {
    if (error instanceof ClaimsError) return null;
    throw error;
  }
}

function readEvidence({ headers, located }: FirstPage): ListEvidence {
  const evidence = new ListEvidence();
  evidence.add({ headers, located, next: null });
  return evidence;
}

/** Whether the response says that the list goes on. */
export const showsMore = (page: FirstPage): boolean =>
  readEvidence(page).findGap(false) !== null || findLink(page.headers.link ?? "", "next") !== null;

/** What the first page says of the rows of its list. */
interface PagingSigns {
  readonly hints: PagingHints;
  /** The rows of the whole list; null if the service does not count them. */
  readonly total: number | null;
  /** Whether it says that it is the last page, or has as many rows as the list. */
  readonly isComplete: boolean;
  /** Whether it says that there are more rows, or probably has as many as a page can have. */
  readonly hasMore: boolean;
}

/** @param pageSizes of lists that go on */
function readPagingSigns(page: FirstPage, pageSizes: ReadonlySet<number>): PagingSigns {
  const { headers, located } = page;
  const rowCount = located.items.length;
  const hints = readPagingHints(headers, located, () => true);
  const statedTotal = hints.total ? Number(hints.total.value) : null;
  const isComplete = readEvidence(page).hasEnd || statedTotal === rowCount;
  // A single row on a page does not suggest that pages have one row.
  const isFull = !isComplete && rowCount > 1 && pageSizes.has(rowCount);
  return {
    hints,
    total: hints.range?.total ?? statedTotal,
    isComplete,
    hasMore: isFull || showsMore(page),
  };
}

/** Learns how a list goes on. Returns every row; null if it is not known how the list goes on. */
export async function learnPaging(run: ListRun, page: FirstPage): Promise<readonly ListItem[] | null> {
  const { lines, note, pageSizes } = run;
  const { isNeeded, located, name } = page;
  const key = `${name}.paging`;
  const known = lines.get(key) ?? lines.get("paging");
  if (known !== undefined) return readByLines(run, page);
  const signs = readPagingSigns(page, pageSizes);
  if (signs.isComplete && !signs.hasMore) return located.items;

  const { provedRows, foundMore, unproved } = await tryCandidates(run, page, signs);
  if (provedRows) return provedRows;
  if (unproved.length === 0 && !signs.hasMore && !foundMore) return located.items;
  if (!isNeeded) {
    note(`${name} goes on in a way that is not proved; --set ${key}=… says how`);
    return null;
  }
  const isWhole = !foundMore && canBeWhole(page);
  const candidates = [...unproved, ...(isWhole ? [toWholeCandidate(located.items)] : [])];
  if (candidates.length === 0) {
    lines.leaveOut(key, `the response shows that the list of ${name} goes on, and not how`);
    return null;
  }
  await lines.ask({ key, text: `How does the list of ${name} go on?`, candidates });
  return lines.get(key) === undefined ? null : readByLines(run, page);
}

/** What trials of candidates have shown. */
interface Trials {
  /** Every row, by the line that is proved; null without one. */
  readonly provedRows: readonly ListItem[] | null;
  /** Whether one that is no line of this list has read rows that the first page does not have. */
  readonly foundMore: boolean;
  readonly unproved: readonly Candidate[];
}

/** Reads a list to its end by each candidate, until one is proved. One list's paging is no proof for another. */
async function tryCandidates(run: ListRun, page: FirstPage, signs: PagingSigns): Promise<Trials> {
  const { lines, note, reads } = run;
  const { located, name, operation } = page;
  const { total } = signs;
  const key = `${name}.paging`;
  const unproved: Candidate[] = [];
  let foundMore = false;
  let guesses = 0;
  for await (const line of guessLines(run, page, signs)) {
    guesses += 1;
    if (guesses > MAX_GUESSES) break;
    const read = await reads.tryList(operation, { ...lines.toMapping(), [key]: line });
    if (read === null || read.pages < 2) continue;
    if (read.fault !== null || hasRepeats(read.items)) {
      // Some services repeat their last page.
      foundMore ||= countRows(read.items) > countRows(located.items);
      continue;
    }
    const count = read.items.length;
    // What counts ends where it gets no rows: only the total shows that these are all.
    if (isCounted(line) && total !== count) {
      unproved.push({ line: formatLine(line), value: `${count} rows on ${read.pages} pages` });
      continue;
    }
    if (total !== null && total !== count)
      note(`${name}: the service says ${total} in all, and ends after ${count}`);
    lines.prove(key, line);
    return { provedRows: read.items, foundMore, unproved };
  }
  return { provedRows: null, foundMore, unproved };
}

/** Whether the line "none" would be kept: a total may count others, any other sign of more says that there are. */
const canBeWhole = (page: FirstPage): boolean => readEvidence(page).findGap(true) === null;

const toWholeCandidate = (rows: readonly ListItem[]): Candidate => ({
  line: "none",
  value: `${rows.length} rows, and that is all`,
});

const isCounted = (line: Paging): line is CountedPaging =>
  typeof line === "object" && ("page" in line || "offset" in line);

/** A line by which the client does not read each row once is not kept. */
async function readByLines(
  { lines, note, reads }: ListRun,
  { name, operation }: FirstPage,
): Promise<readonly ListItem[] | null> {
  const { items, fault } = await reads.readList(operation, lines.toMapping());
  if (fault === null) return items;
  const key = `${name}.paging`;
  note(`${key} is left out: ${fault}`);
  lines.leaveOut(key, fault);
  return null;
}

/** As a row of the same list, in any page. */
const textOf = ({ key, sent }: ListItem): string => JSON.stringify([key, sent]);

/** Each once. */
const countRows = (rows: readonly ListItem[]): number => new Set(rows.map(textOf)).size;

const hasRepeats = (rows: readonly ListItem[]): boolean => countRows(rows) < rows.length;

/**
 * The lines that may page a list, the surest first.
 *
 * What the service's document lists may be a filter: without a sign of more, its names and those of positions are tried alone.
 */
async function* guessLines(
  run: ListRun,
  page: FirstPage,
  { hasMore, hints }: PagingSigns,
): AsyncGenerator<Paging> {
  if (page.headers.link) yield "link";
  for (const { locator } of hints.all.filter(isAddress)) yield { next: locator };
  const own = page.parameters.filter((name) => !SIZES.test(name));
  const names = hasMore ? [...run.parameters, ...own] : own;
  const usual = (...all: readonly string[]) => (hasMore && page.isNeeded ? all : []);
  for (const { locator, name } of hints.all.filter(isToken).toSorted(byDirection)) {
    const others = NEXT_LIKE.test(name) ? usual(name, ...TOKEN_PARAMETERS) : [];
    for (const parameter of new Set([...names, ...others])) yield { next: locator, parameter };
  }
  const positions = hints.all.flatMap(({ name, value }) => (value === 0 || value === 1 ? [name] : []));
  for (const name of new Set([...names, ...positions, ...usual(...COUNTING_PARAMETERS)])) {
    const counted = await findCounting(run, page, name);
    if (counted === null) continue;
    for (const end of listEnds(hints)) yield { ...counted, ...end };
    return;
  }
}

const NEXT_LIKE = /next|more|cursor|continu|after|resume|token/i;

const byDirection = (one: PagingHint, other: PagingHint): number =>
  Number(NEXT_LIKE.test(other.name)) - Number(NEXT_LIKE.test(one.name));

const isAddress = ({ name, value }: PagingHint): boolean =>
  /^(https?:\/\/|\/|\?)/.test(String(value)) && !/^(self|first|last|prev|previous|current)/i.test(name);

/** Whether a value may ask for the next page in a parameter. */
const isToken = (hint: PagingHint): boolean =>
  hasTarget(hint.value) &&
  !isAddress(hint) &&
  (NEXT_LIKE.test(hint.name) || (typeof hint.value === "string" && hint.value.length > 7)) &&
  /^\S{1,500}$/.test(String(hint.value)) &&
  !/secret|password|signature|currency|total|count/i.test(hint.name);

/** The parameter that asks for a page by a line. */
export const findParameters = (line: Paging): readonly string[] =>
  Object.entries(Object(line)).flatMap(([name, value]) =>
    /^(parameter|page|offset)$/.test(name) ? [String(value)] : [],
  );

/** How a counted list may end, the surest first. */
function listEnds({ range, total, pages, more }: PagingHints): readonly Pick<CountedPaging, EndName>[] {
  const ends = Object.entries({ total, pages, more }).flatMap(([name, hint]) =>
    hint ? [{ [name]: hint.locator }] : [],
  );
  return range || ends.length === 0 ? [{}, ...ends] : ends;
}

type EndName = "total" | "pages" | "more";

/** Whether a parameter counts pages or rows: its first value gives the first page, its next one other rows. */
async function findCounting(
  { lines: known, reads }: ListRun,
  { operation, located }: FirstPage,
  name: string,
): Promise<CountedPaging | null> {
  const first = located.items.map(textOf);
  const read = async (value: number) => {
    const response = await reads.try({ operation, query: { [name]: String(value) } });
    const found = isSuccess(response) ? locateRows(known, operation, response.json) : null;
    return (found?.items ?? []).map(textOf);
  };
  const isFirst = (rows: readonly string[]) => rows.join() === first.join();
  const isOther = (rows: readonly string[]) => rows.length > 0 && !rows.some((row) => first.includes(row));
  const lines = /offset|skip|start|from/i.test(name)
    ? [{ line: { offset: name }, start: 0, next: first.length }]
    : ([1, 0] as const).map((start) => ({ line: { page: name, first: start }, start, next: start + 1 }));
  for (const { line, next, start } of lines) {
    const rows = await read(next);
    // The service ignores the parameter.
    if (isFirst(rows)) return null;
    if (isOther(rows) && isFirst(await read(start))) return line;
  }
  return null;
}
