import type { TObject, TSchema } from "typebox";
import type { Operation } from "../../src/contract/operation.ts";
import type { LongList } from "../handlers/handler.ts";
import type { Grease } from "./grease.ts";

/** A long list as text, in pieces of a page each. */
export function* writeList(
  operation: Operation,
  { head, name, pages, type }: LongList,
  grease: Grease | null,
): Generator<string> {
  const schema = itemSchema(operation, name);
  const varied = function* () {
    for (const page of pages) yield grease ? page.map((item) => grease.item(item, schema)) : page;
  };
  if (type === "application/x-ndjson") {
    for (const page of varied()) yield page.map((item) => `${JSON.stringify(item)}\n`).join("");
    return;
  }
  const headText = JSON.stringify(head);
  const opening = (grease?.answer(operation, {}, headText) ?? headText).slice(0, -1);
  let lead = `${opening},${JSON.stringify(name)}:[`;
  for (const page of varied()) {
    yield lead + JSON.stringify(page).slice(1, -1);
    lead = ",";
  }
  yield lead === "," ? "]}" : `${lead}]}`;
}

const itemSchema = ({ answer: { schema } }: Operation, name: string): TSchema =>
  ((schema as TObject).properties[name] as { items?: TSchema } | undefined)?.items ?? {};
