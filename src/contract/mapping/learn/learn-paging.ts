import { isRecord, isTooDeep, parseJsonText } from "../../../domain/json.ts";
import { findLink } from "../../../domain/links.ts";
import { asList, asRecord, ContractReader } from "../../compare/contract-reader.ts";
import type { Operation } from "../../operations/operation.ts";
import { findItemsAt, type ItemsLine, type ListItem, type LocatedItems } from "../list.ts";
import { hasTarget, ListEvidence, type PageSigns, readPageSigns, type Sign } from "../list-evidence.ts";
import type { CountedPaging, Paging } from "../mapping.ts";
import type { ListName } from "../subjects.ts";
import type { LearnedLines } from "./lines.ts";
import type { Candidate, LearningPort, Observation } from "./port.ts";

/** What the lists of a run have in common. */
export interface ListRun {
  readonly port: LearningPort;
  readonly lines: LearnedLines;
  /** The paging of lists that were read: tried first for the others, and no proof. */
  readonly known: Paging[];
  /** The numbers of rows of the first pages of lists that go on. */
  readonly pageSizes: Set<number>;
}

/** The first page of a list, read without a guess. */
export interface FirstPage {
  readonly name: ListName;
  readonly operation: Operation;
  readonly headers: Observation["headers"];
  readonly line: ItemsLine;
  readonly located: LocatedItems;
  /** Query parameters that the service's OpenAPI document lists for this list. */
  readonly parameters: readonly string[];
  /** Whether the work of a partner needs the list. Parameters that are only usual are tried, too. */
  readonly isNeeded: boolean;
}

export interface LearnedPaging {
  /** Undefined if it is not proved, or if the list needs no line. */
  readonly line?: Paging | undefined;
  /** All rows, if the list was read to its end. */
  readonly rows: readonly ListItem[] | null;
  /** Lines that gave another page without being a proof, if there must be a line. */
  readonly open?: readonly Candidate[];
  readonly note?: string | undefined;
}

const TOKEN_PARAMETERS = ["cursor", "after", "next", "page_token", "start", "offset", "token", "marker"];
const PAGE_PARAMETERS = ["page", "pageNumber", "page[number]"];
const OFFSET_PARAMETERS = ["offset", "skip", "start"];
const SIZES = /size|limit|count|per_?page|take|max|^n$|top/i;

/** So that one list does not use up the trials of the others. */
const MAX_GUESSES = 14;

/** The query parameters that a service's own OpenAPI or Swagger document lists for a read. It may be any text. */
export function listDocumentedParameters(text: string, { path }: Operation): readonly string[] {
  const document = parseJsonText(text);
  if (!isRecord(document) || isTooDeep(document)) return [];
  const reader = new ContractReader(document);
  const paths = Object.entries(asRecord(document.paths));
  const own = reader.resolve(paths.find(([name]) => name.replace(/\/+$/, "").endsWith(path))?.[1]);
  return [...asList(own.parameters), ...asList(asRecord(own.get).parameters)]
    .map((parameter) => reader.resolve(parameter))
    .flatMap((parameter) =>
      parameter.in === "query" && typeof parameter.name === "string" ? [parameter.name] : [],
    );
}

function readEvidence({ headers, located }: FirstPage): ListEvidence {
  const evidence = new ListEvidence();
  evidence.add({ headers, located, next: null });
  return evidence;
}

/** Whether the response says that the list goes on. */
export const showsMore = (page: FirstPage): boolean =>
  readEvidence(page).findGap(false) !== null || findLink(page.headers.link ?? "", "next") !== null;

/** Reads a list to its end by each candidate, until one is proved. One list's paging is no proof for another. */
export async function learnPaging(run: ListRun, page: FirstPage): Promise<LearnedPaging> {
  const { headers, located, operation } = page;
  const rows = located.items;
  const signs = readPageSigns(headers, located, () => true);
  const evidence = readEvidence(page);
  const isEnded = evidence.hasEnd || Number(signs.total?.value) === rows.length;
  const isFull = rows.length > 1 && run.pageSizes.has(rows.length) && !isEnded;
  const goesOn = showsMore(page) || isFull;
  if (isEnded && !goesOn) return { rows };
  const total = signs.range?.total ?? (signs.total && Number(signs.total.value));
  const open: Candidate[] = [];
  let guesses = 0;
  for await (const line of guessLines(run, page, signs, goesOn)) {
    guesses += 1;
    if (guesses > MAX_GUESSES) break;
    const mapping = { ...run.lines.toMapping(), [`${page.name}.paging`]: line };
    const read = await run.port.tryList(operation, mapping);
    if (read === null || read.fault !== null || read.pages < 2 || hasRepeats(read.items)) continue;
    const count = read.items.length;
    if (!isCounted(line) || total === count)
      return { line, rows: read.items, note: describeTotal(total, count) };
    open.push({ value: writeLine(line), shows: `${count} rows on ${read.pages} pages` });
  }
  if (open.length === 0 && !goesOn) return { rows };
  return { rows: null, open: [...open, { value: "none", shows: `${rows.length} rows, and that is all` }] };
}

const isCounted = (line: Paging): line is CountedPaging =>
  typeof line === "object" && ("page" in line || "offset" in line);

/** As a row of the same list, in any page. */
const textOf = ({ key, sent }: ListItem): string => JSON.stringify([key, sent]);

const hasRepeats = (rows: readonly ListItem[]): boolean => new Set(rows.map(textOf)).size < rows.length;

const describeTotal = (total: number | undefined, count: number): string | undefined =>
  total === undefined || total === count ? undefined : `says ${total} in all, and ends after ${count}`;

/** The line as `--set` takes it. */
export const writeLine = (line: Paging): string => (typeof line === "string" ? line : JSON.stringify(line));

/**
 * The lines that may page a list, the surest first.
 *
 * @param goesOn what the service's document lists may be a filter: without a sign of more, its names and those of positions are
 *   tried alone
 */
async function* guessLines(
  { known: lines, port }: ListRun,
  page: FirstPage,
  signs: PageSigns,
  goesOn: boolean,
): AsyncGenerator<Paging> {
  const linesOfOthers = goesOn ? lines : [];
  const triesUsualNames = goesOn && page.isNeeded;
  const places = new Set(signs.all.map(({ place }) => place));
  if (page.headers.link) yield "link";
  for (const line of linesOfOthers)
    if (typeof line === "object" && "next" in line && places.has(line.next)) yield line;
  for (const { place } of signs.all.filter(isAddress)) yield { next: place };
  const known = linesOfOthers.map(findParameter);
  const own = page.parameters.filter((name) => !SIZES.test(name));
  const tokens = signs.all.filter(isToken);
  for (const { place, name } of tokens.filter(isLikelyToken).toSorted(byDirection)) {
    const usual = triesUsualNames && NEXT_LIKE.test(name) ? [name, ...TOKEN_PARAMETERS] : [];
    for (const parameter of unique([...known, ...own, ...usual])) yield { next: place, parameter };
  }
  const positions = signs.all.flatMap(({ name, value }) => (value === 0 || value === 1 ? [name] : []));
  const usual = triesUsualNames ? [...PAGE_PARAMETERS, ...OFFSET_PARAMETERS] : [];
  for (const name of unique([...known, ...own, ...positions, ...usual])) {
    const counted = await findCounting(port, page, name);
    if (counted === null) continue;
    for (const end of listEnds(signs)) yield { ...counted, ...end };
    return;
  }
}

const NEXT_LIKE = /next|more|cursor|continu|after|resume|token/i;

const byDirection = (one: Sign, other: Sign): number =>
  Number(NEXT_LIKE.test(other.name)) - Number(NEXT_LIKE.test(one.name));

const isAddress = ({ name, value }: Sign): boolean =>
  /^(https?:\/\/|\/|\?)/.test(String(value)) && !/^(self|first|last|prev|previous|current)/i.test(name);

const isLikelyToken = ({ name, value }: Sign): boolean =>
  NEXT_LIKE.test(name) || (typeof value === "string" && value.length > 7);

/** Whether a value may ask for the next page in a parameter. */
const isToken = (sign: Sign): boolean =>
  hasTarget(sign.value) &&
  !isAddress(sign) &&
  /^\S{1,500}$/.test(String(sign.value)) &&
  !/secret|password|signature|currency|total|count/i.test(sign.name);

function findParameter(line: Paging): string | undefined {
  if (typeof line === "string") return undefined;
  if ("next" in line) return line.parameter;
  return "page" in line ? line.page : line.offset;
}

const unique = (names: readonly (string | undefined)[]): readonly string[] => [
  ...new Set(names.filter((name) => name !== undefined)),
];

/** How a counted list may end, the surest first. */
function listEnds({
  range,
  total,
  pages,
  more,
}: PageSigns): readonly Pick<CountedPaging, "total" | "pages" | "more">[] {
  const ends = [
    ...(range ? [{}] : []),
    ...(total ? [{ total: total.place }] : []),
    ...(pages ? [{ pages: pages.place }] : []),
    ...(more ? [{ more: more.place }] : []),
  ];
  return ends.length > 0 ? ends : [{}];
}

/** Whether a parameter counts pages or rows: its first value gives the first page, its next one other rows. */
async function findCounting(
  port: LearningPort,
  { operation, line, located }: FirstPage,
  name: string,
): Promise<CountedPaging | null> {
  const first = located.items.map(textOf);
  const read = async (value: number) => {
    const response = await port.try({ operation, query: { [name]: String(value) } });
    const found = response && response.status < 300 ? findItemsAt(line, response.json) : null;
    return (found?.items ?? []).map(textOf);
  };
  const isFirst = (rows: readonly string[]) => rows.join() === first.join();
  const isOther = (rows: readonly string[]) => rows.length > 0 && !rows.some((row) => first.includes(row));
  if (/offset|skip|start|from/i.test(name)) {
    const next = isOther(await read(first.length));
    return next && isFirst(await read(0)) ? { offset: name } : null;
  }
  const second = await read(2);
  if (isFirst(second)) return null;
  const one = await read(1);
  if (isOther(second) && isFirst(one)) return { page: name, first: 1 };
  return isOther(one) && isFirst(await read(0)) ? { page: name, first: 0 } : null;
}
