import type { Operation } from "../../contract/operation.ts";
import { rejectedError, usageError } from "../../domain/errors.ts";
import type { Service } from "../connection/service.ts";
import type { OptionSpecs } from "../framework/options.ts";
import { idOf, readItems, type ServiceRecord } from "./paged-list.ts";

/** How `--if-absent` recognizes a record. */
export interface IfAbsent {
  readonly field: string;
  readonly list: (operations: Service["operations"]) => Operation;
}

export const ifAbsentOption = (noun: string, { field }: IfAbsent) =>
  ({
    ifAbsent: {
      help: `print the ${noun} with this --${field} if there is one; not atomic: two commands at once may create two`,
    },
  }) as const satisfies OptionSpecs;

/**
 * Looks through all pages for the record with the value of a field in a new one; null if there is none.
 *
 * @throws ClaimsError `list_incomplete`, `field_not_listed`, `several_exist`: then nothing may be created
 */
export async function findExisting(
  { client, operations }: Service,
  { field, list }: IfAbsent,
  noun: string,
  json: ServiceRecord,
): Promise<ServiceRecord | null> {
  const value = json[field];
  if (value === undefined)
    throw usageError("missing_option", `--if-absent needs --${field}`, {
      hint: `give the ${field} by which the ${noun} is recognized`,
    });
  let hasField = false;
  let count = 0;
  const found: ServiceRecord[] = [];
  const pages = client.list(list(operations), {});
  for await (const item of readItems(pages, `${noun}s`, true)) {
    count += 1;
    hasField ||= field in item;
    if (item[field] === value) found.push(item);
  }
  if (count > 0 && !hasField)
    throw rejectedError("field_not_listed", `no listed ${noun} has a field ${field}; nothing was created`, {
      hint: `look for the ${noun} on the service, and create it without --if-absent`,
    });
  if (found.length > 1)
    throw rejectedError(
      "several_exist",
      `${found.length} ${noun}s have the ${field} ${String(value)}: ${found.map(idOf).join(", ")}; nothing was created`,
      { hint: "use the id of the right one" },
    );
  return found[0] ?? null;
}
