import type { Operation } from "../../operations/operation.ts";
import { OPERATIONS } from "../../operations/operations.ts";
import { findItemsLine, KEY_OF_ITEM } from "../lines.ts";
import { findItemsAt, type ItemsLine, type ListItem } from "../list.ts";
import type { Paging } from "../mapping.ts";
import { formatPath } from "../path.ts";
import { LIST_NAMES, LISTS, type ListName } from "../subjects.ts";
import { findItems, isDistinct, learnItemId, type Row } from "./items.ts";
import {
  type FirstPage,
  type ListRun,
  learnPaging,
  listDocumentedParameters,
  showsMore,
  writeLine,
} from "./learn-paging.ts";
import type { LearnedLines } from "./lines.ts";
import type { LearningPort } from "./port.ts";

const OPENAPI = OPERATIONS.document.openapi;

/** The work of a partner needs these; about the others, nothing is asked. */
const NEEDED: ReadonlySet<ListName> = new Set(["clients", "claims", "endpoints", "deliveries"]);

/** Which lists name the items of a list. The fields of the contract that do are assumed, but what a claim is for is not. */
const NAMED_BY: Partial<Record<ListName, readonly ListName[]>> = {
  clients: ["claims"],
  claims: ["offers", "ledger"],
  endpoints: ["deliveries"],
};

/** The contract's places: they need no line. */
const DEFAULT_ITEMS = "data";
const DEFAULT_PAGING = '{"next":"nextCursor","parameter":"cursor"}';

/** Where the lists of a service have their items, ids and pages. */
export async function learnLists(port: LearningPort, lines: LearnedLines): Promise<void> {
  const own = await port.read({ operation: OPENAPI });
  const run: ListRun = { port, lines, known: [], pageSizes: new Set() };
  const pages: FirstPage[] = [];
  for (const name of LIST_NAMES) {
    const operation: Operation = LISTS[name];
    const first = await port.read({ operation });
    if (first === null || first.status >= 300) continue;
    const line = await learnItems(lines, name, first.json);
    const located = line && findItemsAt(line, first.json);
    const parameters = listDocumentedParameters(own?.text ?? "", operation);
    const isNeeded = NEEDED.has(name);
    if (line && located)
      pages.push({ name, operation, headers: first.headers, line, located, parameters, isNeeded });
  }
  const rows = new Map<ListName, readonly ListItem[]>();
  // Lists that say how they go on come first: their paging and the size of their pages are a hint for the others.
  const rank = (page: FirstPage) => (showsMore(page) ? 2 : 0) + (page.parameters.length > 0 ? 1 : 0);
  for (const page of pages.toSorted((one, other) => rank(other) - rank(one))) {
    const read = await readWhole(run, page);
    if (read) rows.set(page.name, read);
    const line = lines.get(`${page.name}.paging`) as Paging | undefined;
    if (line === undefined || line === "none") continue;
    run.known.push(line);
    run.pageSizes.add(page.located.items.length);
  }
  await learnIds(lines, pages, rows);
}

/** The line of the items of a list; null if it is not known, or if the list is empty. */
async function learnItems(lines: LearnedLines, name: ListName, json: unknown): Promise<ItemsLine | null> {
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
  const line =
    findItemsLine(lines.toMapping(), name) ??
    (isDefault ? findItemsLine({ [name]: DEFAULT_ITEMS }, name) : null);
  if (line && findItemsAt(line, json)) return line;
  if (line) lines.leaveOut(name, `${formatPath(line.path)} is not the place of a list`);
  return null;
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

/** Every row of a list; null if its paging is not known. */
async function readWhole(run: ListRun, page: FirstPage): Promise<readonly ListItem[] | null> {
  const { lines, port } = run;
  const { name } = page;
  const key = `${name}.paging`;
  if ((lines.get(key) ?? lines.get("paging")) !== undefined) return readByLines(run, page);
  const { line, note, open, rows } = await learnPaging(run, page);
  if (note !== undefined) port.note(`${name}: the service ${note}`);
  if (line !== undefined && writeLine(line) !== DEFAULT_PAGING) lines.prove(key, line);
  if (rows !== null || open === undefined) return rows;
  if (!page.isNeeded) {
    port.note(`${name} goes on in a way that is not proved; --set ${key}=… says how`);
    return null;
  }
  const answer = await lines.ask({ key, text: `How does the list of ${name} go on?`, candidates: open });
  if (answer === null) return null;
  lines.answer(key, answer);
  return readByLines(run, page);
}

/** A line by which the client does not read each row once is not kept. */
async function readByLines(
  { lines, port }: ListRun,
  { name, operation }: FirstPage,
): Promise<readonly ListItem[] | null> {
  const { items, fault } = await port.readList(operation, lines.toMapping());
  if (fault === null) return items;
  const key = `${name}.paging`;
  port.note(`${key} is left out: ${fault}`);
  lines.leaveOut(key, fault);
  return null;
}

async function learnIds(
  lines: LearnedLines,
  pages: readonly FirstPage[],
  rows: ReadonlyMap<ListName, readonly ListItem[]>,
): Promise<void> {
  const others = new Map(pages.map(({ name, located }) => [name, rows.get(name) ?? located.items]));
  const references = new Set<string>();
  for (const name of LIST_NAMES) {
    const own = others.get(name);
    const key = `${name}.id`;
    if (own === undefined || own.length === 0) continue;
    const naming = (NAMED_BY[name] ?? []).flatMap((other) => others.get(other) ?? []);
    const { candidates, proved } = learnItemId(own, naming, references);
    // Rows that were not read may repeat a value.
    const given = lines.get(key);
    if (typeof given === "string" && given !== KEY_OF_ITEM && !isDistinct(own, given)) {
      lines.leaveOut(key, `${given} does not have another value in each item`);
      continue;
    }
    const isProved = proved !== undefined && (rows.has(name) || own.every((row) => row.key !== null));
    const path = lines.get(key) ?? proved ?? undefined;
    if (proved !== null && NEEDED.has(name))
      await lines.settle(
        key,
        `Which of these is the id of an item of ${name}?`,
        (isProved ? candidates.filter((each) => each.path === proved) : candidates).map((each) => ({
          value: each.path,
          shows: each.example,
        })),
        isProved,
      );
    else if (typeof proved === "string" && isProved) lines.prove(key, proved);
    const learned = lines.get(key) ?? (proved === null ? "id" : path);
    for (const value of candidates.find((each) => each.path === learned)?.values ?? []) references.add(value);
  }
}
