import { listContradictions } from "../../../contract/mapping/contradictions.ts";
import type { ReadList } from "../../../contract/mapping/learn/port.ts";
import { hasLines } from "../../../contract/mapping/lines.ts";
import type { ListItem } from "../../../contract/mapping/list.ts";
import { ListEvidence } from "../../../contract/mapping/list-evidence.ts";
import type { Mapping } from "../../../contract/mapping/mapping.ts";
import { findSubject, listSubjects } from "../../../contract/mapping/subjects.ts";
import type { Operation } from "../../../contract/operations/operation.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import { formatCount } from "../../../domain/numbers.ts";
import type { Service } from "../../connection/service.ts";

/** What was found through a mapping, and what was not; nothing is missing if that is empty. */
export interface Found {
  readonly what: string;
  readonly found: string;
  readonly missing: string;
  /** What the service does in another way than the interface says. */
  readonly contradictions: readonly string[];
}

/** Every list that the mapping has a line for, to its end. */
export async function readLists({ client }: Service, mapping: Mapping): Promise<readonly Found[]> {
  const all: Found[] = [];
  for (const subject of listSubjects()) {
    const { name, isList, operations } = subject;
    const [operation] = operations;
    if (!isList || !hasLines(mapping, name) || !operation) continue;
    const { items, fault } = await readList(client, operation, mapping);
    const found = formatCount(items.length, "row");
    all.push({ what: name, found, missing: fault ?? "", contradictions: listContradictions(subject, items) });
  }
  return all;
}

/** Reads a list through a mapping, to its end. */
export async function readList(
  client: Service["client"],
  operation: Operation,
  mapping: Mapping,
  maxPages = Number.POSITIVE_INFINITY,
): Promise<ReadList> {
  const evidence = new ListEvidence();
  const items: ListItem[] = [];
  let pages = 0;
  const end = (fault: string | null) => ({ items, pages, fault });
  try {
    for await (const page of client.list(operation, {}, mapping)) {
      pages += 1;
      if (page.located === null) return end("no list of records");
      evidence.add(page);
      items.push(...page.located.items);
      if (page.repeatedRows > 0) return end(`${formatCount(page.repeatedRows, "row")} twice`);
      if (pages > maxPages) return end(`more than ${maxPages} pages`);
    }
  } catch (error) {
    if (
      !(error instanceof ClaimsError) ||
      error.status === 401 ||
      error.status === 429 ||
      error.kind === "interrupted"
    )
      throw error;
    return end(error.message);
  }
  const name = findSubject(operation)?.name;
  if (`${name}.id` in mapping && items.some(({ value: { id } }) => id === undefined || id === null))
    return end(`an item without an id at ${name}.id`);
  return end(evidence.findGap(`${name}.paging` in mapping));
}
