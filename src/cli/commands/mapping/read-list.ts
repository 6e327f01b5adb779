import { ListEvidence } from "../../../client/list-evidence.ts";
import type { ListItem } from "../../../contract/mapping/list.ts";
import type { Mapping } from "../../../contract/mapping/mapping.ts";
import { findResource } from "../../../contract/mapping/resources.ts";
import type { Operation } from "../../../contract/operations/operation.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import { formatCount } from "../../../domain/numbers.ts";
import type { Service } from "../../connection/service.ts";

/** A list as the client reads it by a mapping. */
export interface ReadList {
  readonly items: readonly ListItem[];
  readonly pages: number;
  /** What keeps the items from being complete, each once; null if nothing does. */
  readonly fault: string | null;
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
    if (!(error instanceof ClaimsError) || error.kind === "interrupted") throw error;
    if (error.status === 401 || error.status === 429) throw error;
    return end(error.message);
  }
  const name = findResource(operation)?.name;
  if (`${name}.id` in mapping && items.some(({ value }) => (value.id ?? null) === null))
    return end(`an item without an id at ${name}.id`);
  return end(evidence.findGap(`${name}.paging` in mapping));
}
