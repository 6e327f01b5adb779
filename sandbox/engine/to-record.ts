import type { Static, TObject } from "typebox";
import { formatTime } from "./scheduler/clock.ts";

/** The fields of a record, with times in milliseconds. */
type Unformatted<Item> = {
  readonly [Name in keyof Item]: Name extends `${string}At`
    ? number | (null extends Item[Name] ? null : never)
    : Item[Name];
};

/** Writes a row as a record of the contract: the fields of the schema, in its order, with times in RFC 3339. */
export const toRecord = <Schema extends TObject>(
  { properties }: Schema,
  row: Unformatted<Static<Schema>>,
): Static<Schema> => {
  const record: Record<string, unknown> = {};
  for (const name of Object.keys(properties)) {
    const value = (row as Readonly<Record<string, unknown>>)[name];
    record[name] = typeof value === "number" && name.endsWith("At") ? formatTime(value) : value;
  }
  return record as Static<Schema>;
};
