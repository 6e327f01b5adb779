import type { Page } from "../../client/paging.ts";
import type { ListItem } from "../../contract/mapping/list.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import { type ClaimsError, rejectedError } from "../../domain/errors.ts";
import type { Service } from "../connection/service.ts";
import type { Context } from "../context.ts";
import type { GlobalOptions, OptionSpecs, OptionValues } from "../framework/options.ts";
import { listItemFields } from "../framework/response-fields.ts";
import { parseInteger } from "../framework/values.ts";
import { chooseFormat } from "../output/format.ts";
import { hiddenColumns, type ListColumn, type Output, toListOutput } from "../output/output.ts";
import { describeFields, ListReader, requireItems } from "./list-reader.ts";

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
