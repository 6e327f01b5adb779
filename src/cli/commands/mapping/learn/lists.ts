import { KEY_OF_ITEM } from "../../../../contract/mapping/lines.ts";
import type { ListItem, LocatedItems } from "../../../../contract/mapping/list.ts";
import type { Paging } from "../../../../contract/mapping/mapping.ts";
import { LIST_NAMES, LISTS, type ListName } from "../../../../contract/mapping/resources.ts";
import { OPERATIONS } from "../../../../contract/operations/operations.ts";
import { CONTRACT_ID, findItems, isDistinct, learnItemId } from "./items.ts";
import type { LearnedLines } from "./lines.ts";
import {
  type FirstPage,
  findParameters,
  type ListRun,
  learnPaging,
  listDocumentedParameters,
  locateRows,
  showsMore,
} from "./paging.ts";
import type { ServiceReads } from "./service-reads.ts";

/** The work of a partner needs these; about the others, nothing is asked. */
const NEEDED: ReadonlySet<ListName> = new Set(["clients", "claims", "endpoints", "deliveries"]);

/** Which lists name the items of a list. The fields of the contract that do are assumed, but what a claim is for is not. */
const NAMED_BY: Partial<Record<ListName, readonly ListName[]>> = {
  clients: ["claims"],
  claims: ["offers", "ledger"],
  endpoints: ["deliveries"],
};

/** Where the lists of a service have their items, ids and pages. @param note prints what a person should know */
export async function learnLists(
  reads: ServiceReads,
  lines: LearnedLines,
  note: (text: string) => void,
): Promise<void> {
  const contract = await reads.read({ operation: OPERATIONS.document.openapi });
  const run: ListRun = { reads, lines, note, parameters: [], pageSizes: new Set() };
  const pages: FirstPage[] = [];
  for (const name of LIST_NAMES) {
    const operation = LISTS[name];
    const { headers, json, status } = await reads.read({ operation });
    const located = status < 300 ? await learnItems(lines, name, json) : null;
    const parameters = listDocumentedParameters(contract.text, operation);
    if (located) pages.push({ name, operation, headers, located, parameters, isNeeded: NEEDED.has(name) });
  }
  const seen = new Map(pages.map(({ name, located }) => [name, located.items]));
  const whole = new Set<ListName>();
  // Lists that say how they go on come first: their parameters and the size of their pages are a hint for the others.
  const rank = (page: FirstPage) => (showsMore(page) ? 2 : 0) + (page.parameters.length > 0 ? 1 : 0);
  for (const page of pages.toSorted((one, other) => rank(other) - rank(one))) {
    const { name, located } = page;
    const rows = await learnPaging(run, page);
    if (rows) seen.set(name, rows);
    if (rows) whole.add(name);
    const line = lines.get(`${name}.paging`) as Paging | undefined;
    if (line === undefined || line === "none") continue;
    run.parameters.push(...findParameters(line));
    run.pageSizes.add(located.items.length);
  }
  await learnIds(lines, seen, whole);
}

/** The items of a list; null if their place is not known, or if the list is empty. */
async function learnItems(lines: LearnedLines, name: ListName, json: unknown): Promise<LocatedItems | null> {
  const found = findItems(json);
  const shown = found.length === 1 || NEEDED.has(name) ? found : [];
  if (!(await lines.settle(name, `Which of these are the items of ${name}?`, shown))) return null;
  const located = locateRows(lines, LISTS[name], json);
  if (!located) lines.leaveOut(name, `${lines.findPath(name)} is not the place of a list`);
  return located;
}

/**
 * @param seen the rows of each list
 * @param whole the lists that were read to their ends: other rows may repeat a value
 */
async function learnIds(
  lines: LearnedLines,
  seen: ReadonlyMap<ListName, readonly ListItem[]>,
  whole: ReadonlySet<ListName>,
): Promise<void> {
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
    const isProved = proved !== undefined && (whole.has(name) || own.every((row) => row.key !== null));
    const shown = candidates.filter(({ line }) => (isProved ? line === proved : NEEDED.has(name)));
    if (proved !== CONTRACT_ID)
      await lines.settle(key, `Which of these is the id of an item of ${name}?`, shown, isProved);
    const learned = lines.get(key) ?? proved;
    for (const id of candidates.find(({ line }) => line === learned)?.ids ?? []) references.add(id);
  }
}
