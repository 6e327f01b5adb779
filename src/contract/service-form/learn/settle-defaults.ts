import type { CodecName } from "../codecs.ts";
import { type ContractField, listContractRecords } from "../contract-records.ts";
import { overlaps, type Place } from "../places.ts";
import { bindRows, findField, styleName } from "../rows.ts";
import type { Row, ServiceForm } from "../service-form.ts";

const STYLES = ["snake", "kebab", "pascal"] as const;

interface FieldRow {
  readonly path: string;
  readonly row: Exclude<Row, string | null>;
  readonly field: ContractField;
}

function findFieldRow(record: string, path: string, row: Row): FieldRow | undefined {
  const found = listContractRecords().get(record);
  const field = found && findField(found, path.split("."));
  if (row === null || !field) return undefined;
  return { path, row: typeof row === "string" ? { at: row } : row, field };
}

/**
 * Says once what all rows say: how times and amounts are written, and the style of names.
 * @param explained of each record: the places of the fields that were found
 */
export function settleDefaults(
  given: ServiceForm,
  explained: ReadonlyMap<string, readonly Place[]>,
): ServiceForm {
  const form = leaveTakenNames(given);
  const records = Object.entries(form.records ?? {});
  const all = records.flatMap(([name, { fields = {} }]) =>
    Object.entries(fields).flatMap(([path, row]) => findFieldRow(name, path, row) ?? []),
  );
  const times = findCommonCodec(all, "time");
  const money = findCommonCodec(all, "money");
  const names = findCommonStyle(all, listOwnNames(explained));
  const shorten = ({ field, row: { at, as, ...others } }: FieldRow): Row | undefined => {
    const isDefault = (field.shape === "time" && as === times) || (field.shape === "money" && as === money);
    const isStyled = names !== undefined && !field.isDocumented && at === styleName(field.name, names);
    const left = {
      ...others,
      ...(at !== undefined && !isStyled && { at }),
      ...(as !== undefined && !isDefault && { as }),
    };
    if (Object.keys(left).length === 0) return undefined;
    return Object.keys(left).length === 1 && left.at !== undefined ? left.at : left;
  };
  const shortened = records.flatMap(([name, { fields = {}, ...others }]) => {
    const rows = Object.entries(fields).flatMap(([path, row]) => {
      const found = findFieldRow(name, path, row);
      const short = found ? shorten(found) : row;
      return short === undefined ? [] : [[path, short] as const];
    });
    const { derived = {} } = others;
    const isDerived = Object.keys(derived).length > 0;
    const own = {
      ...(rows.length > 0 && { fields: Object.fromEntries(rows) }),
      ...(isDerived && { derived }),
    };
    return Object.keys(own).length > 0 ? [[name, own] as const] : [];
  });
  const { serviceForm, ...others } = form;
  return {
    serviceForm,
    ...(names && { names }),
    ...(times && { times }),
    ...(money && { money }),
    ...others,
    records: Object.fromEntries(shortened),
  };
}

/** A field without a row keeps its name, unless the service has another field there: it then does not have this one. */
function leaveTakenNames(form: ServiceForm): ServiceForm {
  const records = Object.entries(form.records ?? {}).map(([name, own]) => {
    const record = listContractRecords().get(name);
    if (!record) return [name, own] as const;
    const rows = bindRows(form, record);
    const given = new Set(Object.keys(own.fields ?? {}));
    const taken = rows.filter(
      (row) =>
        !given.has(row.path.join(".")) &&
        rows.some(
          (other) =>
            other !== row &&
            given.has(other.path.join(".")) &&
            row.at !== null &&
            other.at !== null &&
            overlaps(row.at, other.at),
        ),
    );
    const left = Object.fromEntries(taken.map(({ path }) => [path.join("."), null]));
    return [name, { ...own, fields: { ...own.fields, ...left } }] as const;
  });
  return { ...form, records: Object.fromEntries(records) };
}

/** Undefined unless all rows with a codec have the same one. */
function findCommonCodec(all: readonly FieldRow[], shape: "time" | "money"): CodecName | undefined {
  const own = all.filter(({ field }) => field.shape === shape);
  const [only, ...others] = new Set(own.flatMap(({ row }) => row.as ?? []));
  return others.length === 0 ? only : undefined;
}

/** The names that the service shares with the contract, though no document gives them. */
const listOwnNames = (explained: ReadonlyMap<string, readonly Place[]>): string[] =>
  [...explained].flatMap(([record, places]) =>
    places.flatMap(([name = "", ...inner]) => {
      const field = listContractRecords().get(record)?.fields.get(name);
      return field && !field.isDocumented && inner.length === 0 ? [name] : [];
    }),
  );

/** The style of all names that another style could write, if there are more than two. */
function findCommonStyle(
  all: readonly FieldRow[],
  ownNames: readonly string[],
): (typeof STYLES)[number] | undefined {
  const named = all.filter(({ field, path }) => !field.isDocumented && !path.includes("."));
  const renamed = named.filter(({ row }) => row.at !== undefined && !row.at.includes(".")).length;
  return STYLES.find((style) => {
    const styled = named.filter(({ path, row }) => row.at === styleName(path, style)).length;
    return styled > 2 && styled === renamed && ownNames.every((name) => styleName(name, style) === name);
  });
}
