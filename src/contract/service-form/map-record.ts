import { isRecord } from "../../domain/json.ts";
import type { ContractRecord } from "./contract-records.ts";
import {
  type Fields,
  listConstants,
  putAtPlace,
  putConstants,
  setField,
  valueAtPlace,
  withoutPlaces,
} from "./places.ts";
import { type BoundRow, bindRows, listPlacesInside, nestedRecordName } from "./rows.ts";
import { rememberSent } from "./sent.ts";
import type { ServiceForm } from "./service-form.ts";

/** Writes and reads the records of one kind, by the same rows. A field that the contract does not have stays. */
export interface RecordMapper {
  write(record: Fields): Record<string, unknown>;
  read(sent: Fields): Record<string, unknown>;
  readonly rows: readonly BoundRow[];
  findInner(field: string): RecordMapper | undefined;
}

interface BoundField {
  readonly row: BoundRow;
  write(value: unknown): unknown;
  read(value: unknown): unknown;
  readonly getMapper?: () => RecordMapper;
}

const identity = (value: unknown): unknown => value;

/** @param name of the record in the form, if it is not that of the contract */
export function createRecordMapper(
  form: ServiceForm,
  record: ContractRecord,
  name = record.name,
): RecordMapper {
  const rows = bindRows(form, record, name);
  const fields = rows.map((row) => bindField(form, row, name));
  const nested = fields.filter(({ row }) => row.path.length > 1);
  const own = new Map(
    fields.filter(({ row }) => row.path.length === 1).map((each) => [each.row.field.name, each]),
  );
  const hoisted = nested.map(({ row }) => row.path);
  const { constants, derived } = form.records?.[name] ?? {};
  // Other fields may stand inside of a nested record: it is written before them, and read without them.
  const inside = new Map(
    rows.map((row) => [row, listPlacesInside(rows, row)] as const).filter(([, found]) => found.length > 0),
  );
  const isHolder = (field: string) => [...inside.keys()].some((row) => row.field.name === field);
  const places = rows.flatMap(({ at }) => (at ? [at] : []));
  const decided = listConstants(derived);
  const taken = [...places, ...[...listConstants(constants), ...decided].map(([place]) => place)];
  const heldNames = new Set(taken.map(([first]) => first));
  return {
    rows,
    findInner: (field) => own.get(field)?.getMapper?.(),
    write(given) {
      const sent: Record<string, unknown> = {};
      const put = ({ row, write }: BoundField, value: unknown) => {
        if (row.at && !(value === null && form.nulls === "omitted" && row.field.isNullable))
          putAtPlace(sent, row.at, write(value));
      };
      const entries = Object.entries(hoisted.length > 0 ? withoutPlaces(given, hoisted) : given);
      if (inside.size > 0) entries.sort(([one], [other]) => Number(isHolder(other)) - Number(isHolder(one)));
      for (const [field, value] of entries) {
        const bound = own.get(field);
        if (bound) put(bound, value);
        else if (!heldNames.has(field)) setField(sent, field, value);
      }
      for (const each of nested) {
        const value = valueAtPlace(given, each.row.path);
        if (value !== undefined) put(each, value);
      }
      putConstants(sent, constants);
      for (const [place, { from, words }] of decided) {
        const word = String(given[from]);
        if (Object.hasOwn(words, word)) putAtPlace(sent, place, words[word]);
      }
      return sent;
    },
    read(sent) {
      const found: Record<string, unknown> = {};
      for (const { row, read } of fields) {
        if (!row.at) continue;
        const whole = valueAtPlace(sent, row.at);
        const others = inside.get(row);
        const value = others && isRecord(whole) ? withoutPlaces(whole, others) : whole;
        if (value !== undefined) putAtPlace(found, row.path, read(value));
        else if (form.nulls === "omitted" && row.field.isNullable) putAtPlace(found, row.path, null);
      }
      // A field under a name of the contract that its row has elsewhere is another one.
      for (const [field, value] of Object.entries(withoutPlaces(sent, taken)))
        if (!own.has(field)) setField(found, field, value);
      return rememberSent(found, sent);
    },
  };
}

/** The record of the contract inside of another one is in the form under its place in the outer one. */
function bindField(form: ServiceForm, row: BoundRow, outer: string): BoundField {
  const { field, each } = row;
  const { record, shape } = field;
  if (!record) return { row, ...(each === null ? bindValue(row) : bindEach(each)) };
  const name = nestedRecordName(form, outer, row);
  // Made at its first use, so that a form costs what is used of it.
  let inner: RecordMapper | undefined;
  const mapper = (): RecordMapper => {
    inner ??= createRecordMapper(form, record, name);
    return inner;
  };
  return {
    row,
    getMapper: mapper,
    write: (value) => mapValues(value, shape, (each) => mapper().write(each)),
    read: (value) => mapValues(value, shape, (each) => mapper().read(each)),
  };
}

/** A value of another kind than the contract has stays. */
function mapValues(value: unknown, shape: string, map: (record: Fields) => object): unknown {
  if (shape === "record") return isRecord(value) ? map(value) : value;
  const mapEach = (each: unknown) => (isRecord(each) ? map(each) : each);
  if (shape === "list") return Array.isArray(value) ? rememberSent(value.map(mapEach), value) : value;
  if (!isRecord(value)) return value;
  const mapped: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(value)) setField(mapped, key, mapEach(each));
  return mapped;
}

function bindValue({ codec, words, prefix }: BoundRow): Pick<BoundField, "write" | "read"> {
  if (words.size === 0 && prefix === "" && !codec) return { write: identity, read: identity };
  const originals = new Map([...words].map(([own, theirs]) => [theirs, own]));
  // A service may write a word in any letter case.
  const lower = new Map([...words].map(([own, theirs]) => [String(theirs).toLowerCase(), own]));
  const findOriginal = (value: unknown) =>
    originals.get(value) ?? (typeof value === "string" ? lower.get(value.toLowerCase()) : undefined);
  return {
    write: (value) => {
      if (value === null) return null;
      const written = words.get(value) ?? codec?.write(value) ?? value;
      return prefix !== "" && typeof written === "string" ? prefix + written : written;
    },
    read: (value) => {
      if (value === null && !originals.has(null)) return null;
      const bare = typeof value === "string" && value.startsWith(prefix) ? value.slice(prefix.length) : value;
      const word = words.size > 0 ? findOriginal(bare) : undefined;
      return word ?? codec?.read(bare) ?? bare;
    },
  };
}

const bindEach = (member: string): Pick<BoundField, "write" | "read"> => ({
  write: (value) => (Array.isArray(value) ? value.map((each) => ({ [member]: each })) : value),
  read: (value) =>
    Array.isArray(value) ? value.map((each) => (isRecord(each) ? (each[member] ?? each) : each)) : value,
});
