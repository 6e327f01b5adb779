import { type Codec, type CodecName, findCodec } from "./codecs.ts";
import {
  type ContractField,
  type ContractRecord,
  INHERITED_RECORDS,
  placeSuffix,
} from "./contract-records.ts";
import { isInside, type Place, parsePlace } from "./places.ts";
import type { Row, ServiceForm } from "./service-form.ts";

/** A field of a record with its row: the one thing that both directions are derived from. */
export interface BoundRow {
  readonly field: ContractField;
  /** The path in the record of the contract; longer than one for a field that leaves its nested record. */
  readonly path: Place;
  /** Null where the service does not have the field, or has it in a header. */
  readonly at: Place | null;
  readonly header: string | null;
  readonly codec: Codec | undefined;
  readonly words: ReadonlyMap<unknown, unknown>;
  readonly prefix: string;
  readonly each: string | null;
}

type RowObject = Exclude<Row, string | null>;

export function styleName(name: string, style: ServiceForm["names"]): string {
  if (style === "pascal") return name.charAt(0).toUpperCase() + name.slice(1);
  if (style === undefined) return name;
  const separator = style === "snake" ? "_" : "-";
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, separator).toLowerCase();
}

export const listFormRows = (form: ServiceForm, name: string): Readonly<Record<string, Row>> =>
  form.records?.[name]?.fields ?? form.records?.[INHERITED_RECORDS[name] ?? ""]?.fields ?? {};

/** A nested field that is named by its path leaves its record. @param name in the form, if it is not the contract's */
export function bindRows(form: ServiceForm, record: ContractRecord, name = record.name): BoundRow[] {
  const given = listFormRows(form, name);
  const own = [...record.fields.values()].map((field) => bind(form, field, [field.name], given[field.name]));
  const nested = Object.entries(given).flatMap(([path, row]) => {
    const names = path.split(".");
    const field = names.length > 1 ? findField(record, names) : undefined;
    return field ? [bind(form, field, names, row)] : [];
  });
  return [...own, ...nested];
}

/** The name in the form of the record inside of another one: its place in that one, or its own. */
export function nestedRecordName(form: ServiceForm, outer: string, { field, path }: BoundRow): string {
  const place = `${outer}.${path.join(".")}${placeSuffix(field.shape)}`;
  return form.records?.[place] ? place : (field.record?.name ?? place);
}

export function listPlacesInside(rows: readonly BoundRow[], { at: outer, field }: BoundRow): Place[] {
  if (field.shape !== "record" || !outer) return [];
  return rows.flatMap(({ at }) => (at && isInside(at, outer) ? [at.slice(outer.length)] : []));
}

export function findField(
  record: ContractRecord,
  [name = "", ...rest]: readonly string[],
): ContractField | undefined {
  const field = record.fields.get(name);
  if (rest.length === 0 || !field) return field;
  return field.shape === "record" && field.record ? findField(field.record, rest) : undefined;
}

function bind(form: ServiceForm, field: ContractField, path: Place, given: Row | undefined): BoundRow {
  const row: RowObject = typeof given === "string" ? { at: given } : (given ?? {});
  const style = field.isDocumented ? undefined : form.names;
  const at = row.at === undefined ? [styleName(path.at(-1) ?? "", style)] : parsePlace(row.at);
  return {
    field,
    path,
    at: given === null || row.header !== undefined ? null : at,
    header: row.header ?? null,
    codec: findCodec(row.as ?? findDefaultCodec(form, field)),
    words: new Map(Object.entries(row.words ?? {})),
    prefix: row.prefix ?? "",
    each: row.each ?? null,
  };
}

function findDefaultCodec({ times, money }: ServiceForm, { shape }: ContractField): CodecName | undefined {
  if (shape === "time") return times;
  return shape === "money" ? money : undefined;
}
