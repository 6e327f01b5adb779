import { isRecord } from "../../domain/json.ts";
import { exampleOf } from "./kinds.ts";
import { type Place, parsePlace, setField } from "./places.ts";
import type { ExtraForm } from "./service-form.ts";

/** A copy with an example of each field that the contract does not have, where the document has nothing. */
export function withExtras<Document>(
  document: Document,
  extras: Readonly<Record<string, ExtraForm>> | undefined,
): Document {
  if (extras === undefined) return document;
  // What is inside of a document may be a stored record, or data of a caller.
  const copy = structuredClone(document);
  for (const [place, extra] of Object.entries(extras)) putExtra(copy, parsePlace(place), extra);
  return copy;
}

function putExtra(holder: unknown, [name = "", ...rest]: Place, extra: ExtraForm): void {
  if (typeof holder !== "object" || holder === null) return;
  if (name === "*") {
    for (const each of Object.values(holder)) putExtra(each, rest, extra);
    return;
  }
  if (!isRecord(holder)) return;
  const fields = holder as Record<string, unknown>;
  const example = typeof extra === "object" ? extra.word : exampleOf(extra);
  // What the service has inside of a field is not one value.
  const isHeld = rest.length === 0 || typeof fields[name] === "object";
  if (!Object.hasOwn(fields, name) || !isHeld)
    setField(fields, name, rest.length === 0 ? example : rest[0] === "*" ? [{}] : {});
  putExtra(fields[name], rest, extra);
}
