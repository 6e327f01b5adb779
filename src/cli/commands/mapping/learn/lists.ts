import { KEY_OF_ITEM } from "../../../../contract/mapping/lines.ts";
import type { ListItem, LocatedItems } from "../../../../contract/mapping/list.ts";
import type { Paging } from "../../../../contract/mapping/mapping.ts";
import { LIST_NAMES, LISTS, type ListName } from "../../../../contract/mapping/subjects.ts";
import { OPERATIONS } from "../../../../contract/operations/operations.ts";
import { CONTRACT_ID, findItems, isDistinct, learnItemId, type Row } from "./items.ts";
import type { LearnedLines } from "./lines.ts";
import {
  type FirstPage,
  findParameter,
  type ListRun,
  learnPaging,
  listDocumentedParameters,
  locateRows,
  showsMore,
} from "./paging.ts";
import type { ServiceReads } from "./service-reads.ts";

const OPENAPI = OPERATIONS.document.openapi;

/** The work of a partner needs these; about the others, nothing is asked. */
const NEEDED: ReadonlySet<ListName> = new Set(["clients", "claims", "endpoints", "deliveries"]);

/** Which lists name the items of a list. The fields of the contract that do are assumed, but what a claim is for is not. */
const NAMED_BY: Partial<Record<ListName, readonly ListName[]>> = {
  clients: ["claims"],
  claims: ["offers", "ledger"],
  endpoints: ["deliveries"],
};

/** The contract's place: it needs no line. */
const DEFAULT_ITEMS = "data";

/** Where the lists of a service have their items, ids and pages. @param note prints what a person should know */
export async function learnLists(
  reads: ServiceReads,
  lines: LearnedLines,
  note: (text: string) => void,
): Promise<void> {
  const contract = await reads.read({ operation: OPENAPI });
  const run: ListRun = { reads, lines, note, parameters: [], pageSizes: new Set() };
  const pages: FirstPage[] = [];
  for (const name of LIST_NAMES) {
    const operation = LISTS[name];
    const first = await reads.read({ operation });
    if (first.status >= 300) continue;
    const located = await learnItems(lines, name, first.json);
    const parameters = listDocumentedParameters(contract.text, operation);
    const isNeeded = NEEDED.has(name);
    if (located) pages.push({ name, operation, headers: first.headers, located, parameters, isNeeded });
  }
  const rows = new Map<ListName, readonly ListItem[]>();
  // Lists that say how they go on come first: their parameters and the size of their pages are a hint for the others.
  const rank = (page: FirstPage) => (showsMore(page) ? 2 : 0) + (page.parameters.length > 0 ? 1 : 0);
  for (const page of pages.toSorted((one, other) => rank(other) - rank(one))) {
    const read = await learnPaging(run, page);
    if (read) rows.set(page.name, read);
    const line = lines.get(`${page.name}.paging`) as Paging | undefined;
    if (line === undefined || line === "none") continue;
    run.parameters.push(...findParameter(line));
    run.pageSizes.add(page.located.items.length);
  }
  await learnIds(lines, pages, rows);
}

/** The items of a list; null if their place is not known, or if the list is empty. */
async function learnItems(lines: LearnedLines, name: ListName, json: unknown): Promise<LocatedItems | null> {
  const found = findItems(json);
  const [only, ...more] = found;
  const isDefault = only?.path === DEFAULT_ITEMS && more.length === 0;
  if (!isDefault && (more.length === 0 || NEEDED.has(name)))
    await lines.settle(
      name,
      `Which of these are the items of ${name}?`,
      found.map(({ path, rows }) => ({ value: path, shows: `${rows.length}: ${showRow(rows[0])}` })),
      more.length === 0,
    );
  const line = lines.get(name);
  if (line === undefined && !isDefault) return null;
  const located = locateRows(lines, LISTS[name], json);
  if (line !== undefined && !located) lines.leaveOut(name, `${line} is not the place of a list`);
  return located;
}

const MAX_SHOWN = 60;

/** The first row as a person recognizes it. */
const showRow = (row: Row | undefined): string => {
  const texts = Object.values(row?.sent ?? {}).filter(
    (value) => typeof value === "string" || typeof value === "number",
  );
  const text = texts.join(", ");
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
};

/** @param rows of the lists that were read to their ends: other rows may repeat a value */
async function learnIds(
  lines: LearnedLines,
  pages: readonly FirstPage[],
  rows: ReadonlyMap<ListName, readonly ListItem[]>,
): Promise<void> {
  const seen = new Map(pages.map(({ name, located }) => [name, rows.get(name) ?? located.items]));
  const references = new Set<string>();
  for (const name of LIST_NAMES) {
    const own = seen.get(name) ?? [];
    const key = `${name}.id`;
    if (own.length === 0) continue;
    const given = lines.get(key);
    if (typeof given === "string" && given !== KEY_OF_ITEM && !isDistinct(own, given)) {
      lines.leaveOut(key, `${given} does not have another value in each item`);
      continue;
    }
    const naming = (NAMED_BY[name] ?? []).flatMap((other) => seen.get(other) ?? []);
    const { candidates, proved } = learnItemId(own, naming, references);
    const isProved = proved !== undefined && (rows.has(name) || own.every((row) => row.key !== null));
    if (proved !== CONTRACT_ID && (isProved || NEEDED.has(name)))
      await lines.settle(
        key,
        `Which of these is the id of an item of ${name}?`,
        candidates
          .filter(({ path }) => !isProved || path === proved)
          .map(({ path, example }) => ({ value: path, shows: example })),
        isProved,
      );
    const learned = lines.get(key) ?? proved;
    for (const value of candidates.find(({ path }) => path === learned)?.values ?? []) references.add(value);
  }
}
