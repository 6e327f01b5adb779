import type { TObject, TSchema } from "typebox";
import { GREASE_HEADER } from "../../src/contract/grease.ts";
import type { Operation } from "../../src/contract/operation.ts";
import type { ResponseGrease } from "../engine/grease/response-grease.ts";
import type { HandlerResult, StreamedList } from "../handlers/handler.ts";

/** A long list as it is sent. */
interface ListStream {
  readonly headers: Readonly<Record<string, string>>;
  /** Its text, in pieces of a page each. */
  readonly pieces: Iterable<string>;
}

export function streamList(
  operation: Operation,
  { list, headers = {} }: HandlerResult & { readonly list: StreamedList },
  grease: ResponseGrease | null,
): ListStream {
  const { head, name, type } = list;
  const pages = varyPages(operation, list, grease);
  if (type === "application/x-ndjson") {
    const varied = grease?.itemVariations ?? [];
    const allHeaders = varied.length > 0 ? { ...headers, [GREASE_HEADER]: varied.join(", ") } : headers;
    return { headers: allHeaders, pieces: ndjsonLines(pages) };
  }
  const opening = { status: operation.response.status, headers, body: JSON.stringify(head) };
  const response = grease?.varyResponse(operation, opening) ?? opening;
  return { headers: response.headers, pieces: jsonDocument(response.body, name, pages) };
}

function* varyPages(operation: Operation, { name, pages }: StreamedList, grease: ResponseGrease | null) {
  const schema = itemSchema(operation, name);
  for (const page of pages) yield grease ? page.map((item) => grease.varyItem(item, schema)) : page;
}

function* ndjsonLines(pages: Iterable<readonly object[]>): Generator<string> {
  for (const page of pages) yield page.map((item) => `${JSON.stringify(item)}\n`).join("");
}

/** @param head the document without its list, as JSON */
function* jsonDocument(head: string, name: string, pages: Iterable<readonly object[]>): Generator<string> {
  let lead = `${head.slice(0, -1)},${JSON.stringify(name)}:[`;
  for (const page of pages) {
    yield lead + JSON.stringify(page).slice(1, -1);
    lead = ",";
  }
  yield lead === "," ? "]}" : `${lead}]}`;
}

const itemSchema = ({ response: { schema } }: Operation, name: string): TSchema =>
  ((schema as TObject).properties[name] as { items?: TSchema } | undefined)?.items ?? {};
