import type { TObject, TSchema } from "typebox";
import { GREASE_HEADER } from "../../src/contract/grease.ts";
import type { Operation } from "../../src/contract/operation.ts";
import type { Answer, LongList } from "../handlers/handler.ts";
import type { Grease } from "./grease/grease.ts";

/** A long list as it is sent. */
interface WrittenList {
  readonly headers: Readonly<Record<string, string>>;
  /** Its text, in pieces of a page each. */
  readonly pieces: Iterable<string>;
}

export function writeList(
  operation: Operation,
  { list, headers = {} }: Answer & { readonly list: LongList },
  grease: Grease | null,
): WrittenList {
  const { head, name, type } = list;
  const pages = variedPages(operation, list, grease);
  if (type === "application/x-ndjson") {
    const varied = grease?.itemVaried ?? [];
    const told = varied.length > 0 ? { ...headers, [GREASE_HEADER]: varied.join(", ") } : headers;
    return { headers: told, pieces: lines(pages) };
  }
  const opening = { status: operation.answer.status, headers, body: JSON.stringify(head) };
  const given = grease?.answer(operation, opening) ?? opening;
  return { headers: given.headers, pieces: documentOf(given.body, name, pages) };
}

function* variedPages(operation: Operation, { name, pages }: LongList, grease: Grease | null) {
  const schema = itemSchema(operation, name);
  for (const page of pages) yield grease ? page.map((item) => grease.item(item, schema)) : page;
}

function* lines(pages: Iterable<readonly object[]>): Generator<string> {
  for (const page of pages) yield page.map((item) => `${JSON.stringify(item)}\n`).join("");
}

/** @param head the document without its list, as JSON */
function* documentOf(head: string, name: string, pages: Iterable<readonly object[]>): Generator<string> {
  let lead = `${head.slice(0, -1)},${JSON.stringify(name)}:[`;
  for (const page of pages) {
    yield lead + JSON.stringify(page).slice(1, -1);
    lead = ",";
  }
  yield lead === "," ? "]}" : `${lead}]}`;
}

const itemSchema = ({ answer: { schema } }: Operation, name: string): TSchema =>
  ((schema as TObject).properties[name] as { items?: TSchema } | undefined)?.items ?? {};
