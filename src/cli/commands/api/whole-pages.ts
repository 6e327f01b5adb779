import { ListEvidence, readUntilElsewhere } from "../../../client/list-evidence.ts";
import type { Page } from "../../../client/paging.ts";
import { type LocatedItems, listLists } from "../../../contract/mapping/list.ts";
import { rejectedError } from "../../../domain/errors.ts";
import { isRecord } from "../../../domain/json.ts";
import { parseJsonResponse, requireNoFailure } from "../../connection/json-response.ts";
import type { Context } from "../../context.ts";
import { printMessage } from "../../output/stderr.ts";

/** A parameter of the page size. Any other one may be a filter, or the start of the list. */
const SIZE = /^(limit|count|take|top|n|max.*|per.?page|(page.?)?size)$/i;

/** Reads pages of any route, and then whether they are all (product.md §4, *Complete*). */
export class WholePages {
  readonly #context: Context;
  readonly #path: string;
  readonly #evidence = new ListEvidence();
  #isCounted = true;

  /** @param path of the first page, with its query */
  constructor(context: Context, path: string) {
    this.#context = context;
    this.#path = path;
  }

  /** @throws ClaimsError for a page that is not JSON, or that says that it failed: its next one is not known */
  async *read(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
    let isFirst = true;
    for await (const page of readUntilElsewhere(pages, this.#evidence)) {
      parseJsonResponse(page, "a page of the list");
      // A single record may have an error of its own.
      const described = page.located?.holders ?? (isFirst ? [] : [page.json]);
      for (const each of described) requireNoFailure(each, "a page of the list");
      isFirst = false;
      const located = page.located ?? locateOnlyList(page.json);
      this.#isCounted &&= located !== null;
      this.#evidence.add({ ...page, located: located ?? asHolder(page.json) });
      yield page;
    }
  }

  /** Ends output whose pages are not all with an error. */
  async *requireAll<Chunk>(chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
    yield* chunks;
    const [, query] = this.#path.split("?", 2);
    const hasFilter = [...new URLSearchParams(query).keys()].some((name) => !SIZE.test(name));
    const gap = this.#evidence.findGap(hasFilter || !this.#isCounted);
    if (gap !== null)
      throw rejectedError("list_incomplete", `there are more pages than the service sent: ${gap}`, {
        hint: "ask for them with the parameters of the service, as in -f page=2; after `claims mapping learn`, the commands for lists follow them",
      });
    const { count, total } = this.#evidence;
    if (total !== null && this.#isCounted)
      printMessage(
        this.#context,
        `warning: the service sent ${count} rows, but ${total}, which may count others`,
      );
  }
}

function locateOnlyList(document: unknown): LocatedItems | null {
  const [only = null, ...others] = listLists(document).filter(({ items }) => items.length > 0);
  return others.length === 0 ? only : null;
}

/** A document whose list is not known may say itself that there are more pages. */
const asHolder = (document: unknown): LocatedItems | null =>
  isRecord(document) ? { items: [], isById: false, holders: [document], path: [] } : null;
