import type { Static, TObject } from "typebox";
import { formatTime } from "./scheduler/clock.ts";

/** The fields of a record, with times in milliseconds. */
type Unformatted<Item> = {
  readonly [Name in keyof Item]: Name extends `${string}At`
    ? number | (null extends Item[Name] ? null : never)
    : Item[Name];
};

interface Field {
  readonly name: string;
  readonly isTime: boolean;
}

/** By schema: a list has a record per row. */
const fieldsCache = new WeakMap<TObject, readonly Field[]>();

function listFields(schema: TObject): readonly Field[] {
  let fields = fieldsCache.get(schema);
  if (!fields) {
    fields = Object.keys(schema.properties).map((name) => ({ name, isTime: name.endsWith("At") }));
    fieldsCache.set(schema, fields);
  }
  return fields;
}

/** Writes a row as a record of the contract: the fields of the schema, in its order, with times in RFC 3339. */
export function toRecord<Schema extends TObject>(
  schema: Schema,
  row: Unformatted<Static<Schema>>,
): Static<Schema> {
  const record: Record<string, unknown> = {};
  for (const { name, isTime } of listFields(schema)) {
    const value = (row as Readonly<Record<string, unknown>>)[name];
    record[name] = isTime && typeof value === "number" ? formatTime(value) : value;
  }
  return record as Static<Schema>;
}
