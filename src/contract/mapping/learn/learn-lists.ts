import { OPERATIONS } from "../../operations/operations.ts";
import type { Paging } from "../mapping.ts";
import { listDocumentedParameters } from "./documented-parameters.ts";
import { type Followed, followPages, type ReadList, readRows } from "./follow-pages.ts";
import { learnItemId } from "./item-ids.ts";
import { findItems, type Row } from "./items.ts";
import { findsMore, learnPaging, writeLine } from "./learn-paging.ts";
import { type LearnedLines, parseLine } from "./lines.ts";
import type { LearningPort } from "./port.ts";

const { claims, clients, document, offers, revenue, webhooks } = OPERATIONS;

/** In the order in which ids are looked for: a later list names the items of an earlier one. */
const LISTS = {
  clients: clients.list,
  claims: claims.list,
  endpoints: webhooks.endpoints,
  deliveries: webhooks.deliveries,
  offers: offers.list,
  ledger: revenue.ledger,
} as const;

type ListName = keyof typeof LISTS;

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

export interface ListReport {
  readonly name: string;
  /** Null for a list whose items are not known. */
  readonly rows: number | null;
  readonly isComplete: boolean;
}

/** Where the lists of a service have their items, ids and pages. */
export async function learnLists(port: LearningPort, lines: LearnedLines): Promise<readonly ListReport[]> {
  const own = await port.read({ operation: document.openapi });
  const lists = new Map<ListName, ReadList>();
  for (const [name, operation] of Object.entries(LISTS) as [ListName, (typeof LISTS)[ListName]][]) {
    const first = await port.read({ operation });
    if (first === null || first.status >= 300) continue;
    const path = await learnItems(lines, name, first.json);
    if (path !== null) lists.set(name, { operation, first, path });
  }
  const rows = new Map<ListName, readonly Row[]>();
  const pageSizes = new Set<number>();
  const documented = (list: ReadList) => listDocumentedParameters(own?.text ?? "", list.operation);
  // Lists that say how they go on come first: their paging and the size of their pages are a hint for the others.
  const rank = (list: ReadList) => (findsMore(list).isShown ? 2 : 0) + (documented(list).length > 0 ? 1 : 0);
  const known: Paging[] = [];
  for (const [name, list] of [...lists].toSorted(([, one], [, other]) => rank(other) - rank(one))) {
    const parameters = documented(list);
    const hints = { lines: known, parameters, pageSizes, triesUsualNames: NEEDED.has(name) };
    const read = await readWhole(port, lines, name, list, hints);
    if (read) rows.set(name, read);
    const line = lines.get(`${name}.paging`) as Paging | undefined;
    if (line === undefined || line === "none") continue;
    known.push(line);
    pageSizes.add(readRows(list.first.json, list.path)?.length ?? 0);
  }
  await learnIds(lines, lists, rows);
  return [...lists].map(([name, list]) => ({
    name,
    rows: (rows.get(name) ?? readRows(list.first.json, list.path))?.length ?? null,
    isComplete: rows.has(name),
  }));
}

/** The path of the items of a list; null if it is not known, or if the list is empty. */
async function learnItems(lines: LearnedLines, name: ListName, json: unknown): Promise<string | null> {
  const given = lines.get(name);
  if (typeof given === "string") return given;
  const found = findItems(json);
  const [only, ...more] = found;
  if (only?.path === DEFAULT_ITEMS && more.length === 0) return DEFAULT_ITEMS;
  if (more.length === 0 || NEEDED.has(name))
    await lines.settle(
      name,
      `Which of these are the items of ${name}?`,
      found.map(({ path, rows }) => ({ value: path, shows: `${rows.length}: ${showRow(rows[0])}` })),
      more.length === 0,
    );
  const line = lines.get(name);
  return typeof line === "string" ? line : null;
}

const MAX_SHOWN = 60;

/** The first row as a person recognizes it. */
const showRow = (row: Row | undefined): string => {
  const texts = Object.values(row?.record ?? {}).filter(
    (value) => typeof value === "string" || typeof value === "number",
  );
  const text = texts.join(", ");
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
};

/** Every row of a list; null if its paging is not known. */
async function readWhole(
  port: LearningPort,
  lines: LearnedLines,
  name: ListName,
  list: ReadList,
  hints: Parameters<typeof learnPaging>[2],
): Promise<readonly Row[] | null> {
  const key = `${name}.paging`;
  const given = (lines.get(key) ?? lines.get("paging")) as Paging | undefined;
  if (given !== undefined) return readBy(port, lines, key, list, given);
  const { line, note, open, rows } = await learnPaging(port, list, hints);
  if (note !== undefined) port.note(`${name}: the service ${note}`);
  if (line !== undefined && writeLine(line) !== DEFAULT_PAGING) lines.prove(key, line);
  if (rows !== null || open === undefined || !NEEDED.has(name)) return rows;
  const answer = await lines.ask({ key, text: `How does the list of ${name} go on?`, candidates: open });
  if (answer === null) return null;
  const chosen = parseLine(answer) as Paging;
  lines.answer(key, chosen);
  return readBy(port, lines, key, list, chosen);
}

/** A line that gives a row twice, or that cannot be followed, is not kept. */
async function readBy(
  port: LearningPort,
  lines: LearnedLines,
  key: string,
  list: ReadList,
  line: Paging,
): Promise<readonly Row[] | null> {
  const rows = readRows(list.first.json, list.path);
  const hints = { pageSizes: new Set([rows?.length ?? 0]), lines: [line] };
  if (line === "none" || !findsMore(list, hints).isLikely) return rows;
  const followed: Followed = await followPages(port, list, line);
  if (followed.fault === null) return followed.rows;
  port.note(`${key} is left out: ${followed.fault}`);
  lines.leaveOut(key, followed.fault);
  return null;
}

async function learnIds(
  lines: LearnedLines,
  lists: ReadonlyMap<ListName, ReadList>,
  rows: ReadonlyMap<ListName, readonly Row[]>,
): Promise<void> {
  const others = new Map(
    [...lists].map(([name, list]) => [name, rows.get(name) ?? readRows(list.first.json, list.path) ?? []]),
  );
  const references = new Set<string>();
  for (const name of Object.keys(LISTS) as ListName[]) {
    const own = others.get(name);
    const key = `${name}.id`;
    if (own === undefined || own.length === 0) continue;
    const naming = (NAMED_BY[name] ?? []).flatMap((other) => others.get(other) ?? []);
    const { candidates, proved } = learnItemId(own, naming, references);
    // Rows that were not read may repeat a value.
    const isProved = proved !== undefined && (rows.has(name) || own.every((row) => row.key !== null));
    const path = lines.get(key) ?? proved ?? undefined;
    if (proved !== null && NEEDED.has(name))
      await lines.settle(
        key,
        `Which of these is the id of ${describeItem(name)}?`,
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

const describeItem = (name: ListName): string =>
  ({
    clients: "a client",
    claims: "a claim",
    endpoints: "an endpoint",
    deliveries: "a delivery",
    offers: "an offer",
    ledger: "an entry of the ledger",
  })[name];
