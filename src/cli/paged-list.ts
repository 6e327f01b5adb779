import type { Answer } from "../client/client.ts";
import { hasNextPage } from "../client/paging.ts";
import { ClaimsError } from "../domain/errors.ts";
import { isRecord } from "../domain/json.ts";
import { parseAnswer } from "./answer.ts";
import type { OptionSpecs, OptionValues } from "./command.ts";
import type { Context } from "./context.ts";
import { type Column, list, type Output } from "./output/output.ts";
import { say } from "./say.ts";
import { wholeNumber } from "./whole-number.ts";

/** What every command takes that lists what a service has. */
export const pagingOptions = {
  limit: {
    value: "n",
    parse: (text) => wholeNumber(text, { what: "a number of items", least: 1, most: 10_000 }),
    help: "how many a page has at the most (as the service has it)",
  },
  all: { help: "every page, not the first one alone" },
} as const satisfies OptionSpecs;

type PagingOptions = OptionValues<typeof pagingOptions>;

/** One item of a list, as the service sent it. */
export type Item = Readonly<Record<string, unknown>>;

/** What a list shows, and of what. */
interface Shown {
  /** As messages name them: `webhook endpoints`. */
  readonly what: string;
  readonly columns: readonly Column<Item>[];
  /** Said where there is none at all. */
  readonly empty: string;
  /** Field → the value that was asked for: the service may have overlooked the question. */
  readonly only?: Item;
}

/** A page as it was read. */
interface ReadPage {
  readonly items: readonly Item[];
  /** Null where the page is the list itself. */
  readonly name: string | null;
  /** What stands beside the list. */
  readonly rest: Item;
}

/**
 * The pages of a list: the first one with a word that there is more, or all of them. `--json` prints the first page as it
 * came; several become one of the same form.
 */
export function pagedOutput(
  context: Context,
  pages: AsyncIterable<Answer>,
  { limit, all = false }: PagingOptions,
  { what, columns, empty, only = {} }: Shown,
): Output {
  async function* wanted(): AsyncGenerator<Answer, void> {
    for await (const answer of pages) {
      yield answer;
      if (all) continue;
      if (hasNextPage(answer))
        say(context, `there are more ${what}: --all shows every one, --limit more at once`);
      return;
    }
  }
  async function* items(): AsyncGenerator<Item> {
    for await (const page of wanted()) {
      // A service that knows no such parameter sends what it likes.
      yield* itemsIn(page, what)
        .filter(hasThese(only))
        .slice(0, all ? undefined : limit);
    }
  }
  return list<Item>({
    items: items(),
    document: () => (all ? joined(wanted(), what) : asSent(wanted())),
    columns,
    idOf,
    empty: isFilter(only) ? `there are no such ${what}; without a filter all of them are listed` : empty,
  });
}

/** The items of every page. */
export async function* itemsOf(pages: AsyncIterable<Answer>, what: string): AsyncGenerator<Item> {
  for await (const answer of pages) yield* readPage(answer, what).items;
}

/** The items of one page. */
export const itemsIn = (answer: Answer, what: string): readonly Item[] => readPage(answer, what).items;

/** Of a record that goes by an id. */
export const idOf = ({ id }: Item): string | null =>
  typeof id === "string" || typeof id === "number" ? String(id) : null;

/** Whether an item has each of these values, or says nothing of it. */
export const hasThese =
  (wanted: Item) =>
  (item: Item): boolean =>
    Object.entries(wanted).every(([name, value]) => value === undefined || (item[name] ?? value) === value);

const isFilter = (only: Item): boolean => Object.values(only).some((value) => value !== undefined);

async function* asSent(pages: AsyncIterable<Answer>): AsyncGenerator<Uint8Array | string> {
  for await (const { body } of pages) yield* [body, body.at(-1) === NEWLINE ? "" : "\n"];
}

const NEWLINE = 0x0a;

/** The items of all pages in the form of one: what stands beside them is the last page's. */
async function* joined(pages: AsyncIterable<Answer>, what: string): AsyncGenerator<string> {
  let before = "";
  let after = "";
  for await (const answer of pages) {
    const { items, name, rest } = readPage(answer, what);
    if (before === "") before = name === null ? "[\n" : `{${JSON.stringify(name)}:[\n`;
    for (const item of items) {
      yield before + JSON.stringify(item);
      before = ",\n";
    }
    const beside = JSON.stringify(rest).slice(1);
    after = name === null ? "\n]\n" : `\n]${beside === "}" ? "" : ","}${beside}\n`;
  }
  yield before === ",\n" ? after : before + after;
}

/** Names that lists of services go by; failing these, the only list that there is. */
const USUAL_NAMES = ["data", "items", "results"];

function readPage(answer: Answer, what: string): ReadPage {
  const body = parseAnswer(answer, what);
  if (Array.isArray(body) && body.every(isRecord)) return { items: body, name: null, rest: {} };
  const lists = isRecord(body) ? Object.entries(body).filter(([, value]) => Array.isArray(value)) : [];
  const found =
    lists.find(([name]) => USUAL_NAMES.includes(name)) ?? (lists.length === 1 ? lists[0] : undefined);
  const [name, items] = found ?? [null, null];
  if (name === null || !Array.isArray(items) || !items.every(isRecord)) throw notAList(what);
  const { [name]: _, ...rest } = body as Item;
  return { items, name, rest };
}

const notAList = (what: string): ClaimsError =>
  new ClaimsError("unreachable", "unexpected_answer", `${what}: the answer is no list that can be read`, {
    hint: "see it as it is with `claims api GET`; check that the base URL is the service itself",
  });
