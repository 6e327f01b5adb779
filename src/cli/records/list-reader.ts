import { ListEvidence, readUntilElsewhere } from "../../client/list-evidence.ts";
import type { Page } from "../../client/paging.ts";
import type { ListItem, LocatedItems } from "../../contract/mapping/list.ts";
import { type ClaimsError, rejectedError } from "../../domain/errors.ts";
import type { Fields } from "../../domain/json.ts";
import { parseJsonResponse, requireNoFailure } from "../connection/json-response.ts";
import type { Context } from "../context.ts";
import { type ListColumn, readCell } from "../output/output.ts";
import { printMessage } from "../output/stderr.ts";

interface RequestedList {
  readonly noun: string;
  readonly pages: AsyncIterable<Page>;
  /** Called once, when the first page is there. */
  readonly readMore: (() => Promise<void>) | undefined;
  /** All pages, or the first one and at most `limit` items of it: the service may ignore the limit. */
  readonly all: boolean;
  readonly limit: number | undefined;
  /** The service may have ignored it, too. */
  readonly filter: Fields;
  /** A total beside the items may count others than those asked for. */
  readonly hasOtherTotal: boolean;
  /** Null if what is printed is not these columns. */
  readonly shownColumns: readonly ListColumn<Fields>[] | null;
  readonly onItem?: (item: ListItem) => void;
}

/** Reads what was asked for of a list, once, and warns of what the user does not see. */
export class ListReader {
  readonly #list: RequestedList;
  readonly #evidence = new ListEvidence();
  readonly #warn: (message: string) => void;
  #hasWarnedOfEmptyRow = false;
  /** The error to report after the items. */
  failure: ClaimsError | undefined;

  constructor(context: Context, list: RequestedList) {
    this.#list = list;
    this.#warn = (message) => printMessage(context, `warning: ${message}`);
  }

  async *pages(): AsyncGenerator<Page> {
    const { pages, noun, all } = this.#list;
    let { readMore } = this.#list;
    let repeatedRows = 0;
    for await (const page of readPages(pages, noun, this.#evidence)) {
      await readMore?.();
      readMore = undefined;
      yield page;
      repeatedRows += page.repeatedRows;
      if (all) continue;
      if (page.next !== null)
        return this.#warn(`there are more ${noun}: --all shows all, --limit more at once`);
      break;
    }
    if (repeatedRows > 0) this.#warn(`the service sent ${repeatedRows} ${noun} twice, which are shown once`);
    this.#reportGap();
  }

  /** With `--all`, a list that lacks items fails after them (product.md §4). */
  #reportGap(): void {
    const { noun, all, hasOtherTotal } = this.#list;
    const { count, total } = this.#evidence;
    const gap = this.#evidence.findGap(hasOtherTotal);
    if (gap !== null) {
      const error = incompleteError(count, noun, gap);
      if (all) this.failure = error;
      else this.#warn(error.message);
    } else if (total !== null)
      this.#warn(`the service sent ${count} ${noun}, but ${total}, which may count others`);
  }

  async *items(): AsyncGenerator<ListItem> {
    const { noun, all, limit, filter, onItem } = this.#list;
    const isMatch = matchesFilter(filter);
    let hidesSome = false;
    for await (const { located } of this.pages()) {
      const sent = requireItems(located, noun);
      const matching = sent.filter(({ value }) => isMatch(value));
      hidesSome ||= matching.length < sent.length;
      for (const item of all ? matching : matching.slice(0, limit)) {
        this.#warnOfEmptyRow(item);
        onItem?.(item);
        yield item;
      }
    }
    if (hidesSome) this.#warn(describeHidden(noun));
  }

  #warnOfEmptyRow(item: ListItem): void {
    const { noun, shownColumns } = this.#list;
    if (shownColumns === null || this.#hasWarnedOfEmptyRow) return;
    if (shownColumns.some((column) => (readCell(column, item.value) ?? "") !== "")) return;
    this.#warn(`${noun} have ${describeFields(item)}, which no column shows: --fields shows them`);
    this.#hasWarnedOfEmptyRow = true;
  }
}

async function* readPages(pages: AsyncIterable<Page>, noun: string, evidence: ListEvidence) {
  for await (const page of readUntilElsewhere(pages, evidence)) {
    const document = parseJsonResponse(page, noun);
    for (const each of page.located?.holders ?? [document]) requireNoFailure(each, noun);
    evidence.add(page);
    yield page;
  }
}

function incompleteError(count: number, noun: string, gap: string): ClaimsError {
  const message = `there are more ${noun} than the ${count} that the service sent: ${gap}`;
  return rejectedError("list_incomplete", message, {
    hint: "`claims mapping learn` finds how these pages go on; `claims api GET` reads one with the parameters of the service",
  });
}

export const describeFields = ({ sent }: ListItem): string => {
  const names = Object.keys(sent);
  return names.length === 0 ? "no fields" : `the fields ${names.join(", ")}`;
};

/** Whether an item has these values, as numbers or in any letter case. A missing field matches. */
export const matchesFilter =
  (filter: Fields) =>
  (item: Fields): boolean =>
    Object.entries(filter).every(
      ([name, value]) => value === undefined || normalizeValue(item[name] ?? value) === normalizeValue(value),
    );

const normalizeValue = (value: unknown): string => String(value).toLowerCase();

/** Most names of the fields are assumed, so that a service may have another meaning for one. */
export const describeHidden = (noun: string): string =>
  `the service sent ${noun} that do not match the filter, which are not shown; leave it out to see them`;

export function requireItems(located: LocatedItems | null, noun: string): readonly ListItem[] {
  if (located) return located.items;
  throw rejectedError("response_incomplete", `${noun}: expected a list in the response`, {
    hint: "if this is the claims service, `claims mapping learn` finds where its lists are; `claims api GET` shows the response",
  });
}
