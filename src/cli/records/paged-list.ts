import type { ApiResponse } from "../../client/http/response.ts";
import { ListEvidence } from "../../client/list-evidence.ts";
import type { Page } from "../../client/paging.ts";
import { findItems, type ListItem, type LocatedItems } from "../../contract/mapping/list.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import { ClaimsError, rejectedError } from "../../domain/errors.ts";
import { parseJsonResponse, requireNoFailure, unexpectedResponseError } from "../connection/json-response.ts";
import type { Service } from "../connection/service.ts";
import type { Context } from "../context.ts";
import type { GlobalOptions, OptionSpecs, OptionValues } from "../framework/options.ts";
import { listItemFields } from "../framework/response-fields.ts";
import { parseInteger } from "../framework/values.ts";
import { chooseFormat } from "../output/format.ts";
import { hiddenColumns, type ListColumn, type Output, readCell, toListOutput } from "../output/output.ts";
import { printMessage } from "../output/stderr.ts";

export const pagingOptions = {
  limit: {
    value: "n",
    parse: (text) =>
      parseInteger(text, { what: "a number of items", min: 1, max: 10_000, more: "--all shows all" }),
    help: "limit the items of a page",
    default: "the service's default",
  },
  all: { help: "show all pages instead of the first" },
} as const satisfies OptionSpecs;

export type ServiceRecord = Readonly<Record<string, unknown>>;

interface ListDescription {
  readonly operation: Operation;
  /** The records as messages name them: `webhook endpoints`. */
  readonly noun: string;
  /** Programs also get the other fields of the contract. */
  readonly columns: readonly ListColumn<ServiceRecord>[];
  /** For an empty list without a filter. */
  readonly emptyMessage: string;
  /** Field → value of the filter, because the service may have ignored it. */
  readonly filter?: ServiceRecord;
  /** Reads what else the table of a terminal shows, once the first page is there. */
  readonly readMore?: () => Promise<void>;
  /** Messages for a terminal about the items that it showed. */
  readonly notes?: (items: readonly ServiceRecord[]) => Promise<readonly string[]>;
}

interface ListCall {
  readonly global: GlobalOptions;
  readonly options: OptionValues<typeof pagingOptions>;
}

/** The first page with a message about further ones, or all pages. `--json` prints one page unchanged, and merges several. */
export async function toPagedList(
  context: Context,
  service: Service,
  responses: AsyncGenerator<Page>,
  { global, options: { limit, all = false } }: ListCall,
  { operation, noun, columns: visible, emptyMessage, filter = {}, readMore, notes }: ListDescription,
): Promise<Output> {
  const { hasPagingLine, isMappedList: isMapped } = service.client.readerOf(operation);
  const { firstPage, pages } =
    isMapped && !service.isDryRun ? await peekFirst(responses) : { firstPage: null, pages: responses };
  // A terminal leaves out the columns of the contract that a service with a mapping does not have.
  const columns = [...visible, ...listOtherColumns(operation, visible, firstPage)].map((column) =>
    isMapped && !column.isId ? { ...column, isOptional: true as const } : column,
  );
  const hasFilter = Object.values(filter).some((value) => value !== undefined);
  const shown: ServiceRecord[] = [];
  const list = new ListReader(context, {
    noun,
    pages,
    readMore: isTable(context, global) ? readMore : undefined,
    all,
    limit,
    filter,
    hasOtherTotal: hasFilter || hasPagingLine,
    shownColumns: !global.fields && ["text", "csv"].includes(chooseFormat(global)) ? columns : null,
    ...(notes && { onItem: (item: ListItem) => shown.push(item.value) }),
  });
  return toListOutput<ListItem, ServiceRecord>({
    items: list.items(),
    document: () => (all ? mergePages(list.pages(), noun) : concatenatePages(list.pages())),
    columns,
    toRow: ({ value }) => value,
    toSent: ({ sent }) => sent,
    idOf(item) {
      const id = idOf(item.value);
      if (id === null) list.failure ??= noIdError(item, noun);
      return id;
    },
    emptyMessage: hasFilter ? `no ${noun} match; leave out the filter to list all` : emptyMessage,
    notes: async () => (await notes?.(shown)) ?? [],
    hasNotesForPipes: notes !== undefined,
    failure: () => list.failure,
  });
}

/** Whether a person sees the columns, and no program. */
export const isTable = ({ stdout }: Context, global: GlobalOptions): boolean =>
  stdout.isTerminal && chooseFormat(global) === "text" && !global.fields && !global.out;

/** The first page shows which fields of its own the service has. */
async function peekFirst(responses: AsyncGenerator<Page>) {
  const { value: firstPage = null } = await responses.next();
  async function* pages(): AsyncGenerator<Page> {
    if (firstPage) yield firstPage;
    yield* responses;
  }
  return { firstPage: firstPage as Page | null, pages: pages() };
}

/** The other fields of the contract, for programs, then those that only this service has. */
function listOtherColumns(
  operation: Operation,
  visible: readonly ListColumn<ServiceRecord>[],
  firstPage: Page | null,
): readonly ListColumn<ServiceRecord>[] {
  const visibleFields = new Set(visible.map(({ name }) => name));
  const contractFields = listItemFields(operation);
  const knownFields = new Set([...visibleFields, ...contractFields]);
  const sentFields = new Set(firstPage?.located?.items.flatMap(({ value }) => Object.keys(value)));
  const serviceFields = [...sentFields].filter((name) => !knownFields.has(name));
  return [
    ...hiddenColumns(...contractFields.filter((name) => !visibleFields.has(name))),
    ...serviceFields.map((name) => ({ name })),
  ];
}

const noIdError = (item: ListItem, noun: string): ClaimsError =>
  rejectedError("response_incomplete", `${noun} have no id, but ${describeFields(item)}`, {
    hint: "choose the field that identifies them with --fields",
  });

export const parseItems = (response: ApiResponse, noun: string): readonly ServiceRecord[] =>
  requireItems(locateItems(response, noun), noun).map(({ value }) => value);

function locateItems(response: ApiResponse, noun: string): LocatedItems | null {
  const body = parseJsonResponse(response, noun);
  return response.reader ? response.reader.locateItems(body) : findItems(body);
}

export const idOf = ({ id }: ServiceRecord): string | null =>
  typeof id === "string" || typeof id === "number" ? String(id) : null;

const LINE_FEED = 0x0a;

async function* concatenatePages(pages: AsyncIterable<Page>): AsyncGenerator<Uint8Array | string> {
  for await (const { body } of pages) yield* [body, body.at(-1) === LINE_FEED ? "" : "\n"];
}

/** The items of all pages as they came, in the object that holds them. */
async function* mergePages(pages: AsyncIterable<Page>, noun: string): AsyncGenerator<string> {
  let before = "";
  let after = "";
  try {
    for await (const { located } of pages) {
      const items = requireItems(located, noun);
      const { path = [], holders = [], isById = false } = located ?? {};
      const name = path.at(-1)?.name ?? null;
      const [open, close] = isById ? ["{", "}"] : ["[", "]"];
      const holder = Object.entries(holders.at(-1) ?? {}).filter(([member]) => member !== name);
      if (before === "") before = name === null ? `${open}\n` : `{${JSON.stringify(name)}:${open}\n`;
      for (const { key, sent } of items) {
        yield before + (key === null ? "" : `${JSON.stringify(key)}:`) + JSON.stringify(sent);
        before = ",\n";
      }
      const others = JSON.stringify(Object.fromEntries(holder)).slice(1);
      after = name === null ? `\n${close}\n` : `\n${close}${others === "}" ? "" : ","}${others}\n`;
    }
  } catch (error) {
    // What is printed so far stays one document.
    if (before === ",\n") yield after;
    throw error;
  }
  yield before === ",\n" ? after : before + after;
}

type Fields = Readonly<Record<string, unknown>>;

interface RequestedList {
  readonly noun: string;
  readonly pages: AsyncIterable<Page>;
  readonly readMore: ListDescription["readMore"] | undefined;
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
class ListReader {
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
  try {
    for await (const page of pages) {
      const document = parseJsonResponse(page, noun);
      for (const each of page.located?.holders ?? [document]) requireNoFailure(each, noun);
      evidence.add(page);
      yield page;
    }
  } catch (error) {
    if (!(error instanceof ClaimsError) || error.code !== "paging_elsewhere") throw error;
    evidence.more = error.message;
  }
}

function incompleteError(count: number, noun: string, gap: string): ClaimsError {
  const message = `there are more ${noun} than the ${count} that the service sent: ${gap}`;
  return rejectedError("list_incomplete", message, {
    hint: "`claims mapping learn` finds how these pages go on; `claims api GET` reads one with the parameters of the service",
  });
}

const describeFields = ({ sent }: ListItem): string => {
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
  throw unexpectedResponseError(`${noun}: expected a list in the response`);
}
