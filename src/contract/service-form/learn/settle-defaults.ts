import type { CodecName } from "../codecs.ts";
import { listContractRecords } from "../contract-records.ts";
import { overlaps } from "../places.ts";
import { bindRows, findField, styleName } from "../rows.ts";
import type { Row, ServiceForm } from "../service-form.ts";

const STYLES = ["snake", "kebab", "pascal"] as const;

type Records = NonNullable<ServiceForm["records"]>;

/** Says once what all rows say: how times and amounts are written, and the style of names. */
export function settleDefaults(given: ServiceForm): ServiceForm {
  const form = leaveTakenNames(given);
  const records = form.records ?? {};
  const times = findCommonCodec(records, "time");
  const money = findCommonCodec(records, "money");
  const names = STYLES.find(
    (style) => countStyled(records, style) > 2 && countStyled(records, style) === countRenamed(records),
  );
  const withoutDefaults = mapRows(records, (path, row, record) => {
    const field = findField(record, path.split("."));
    if (row === null || !field) return row;
    const { at, as, ...others } = typeof row === "string" ? { at: row } : row;
    const isDefault = (field.shape === "time" && as === times) || (field.shape === "money" && as === money);
    const isStyled = names !== undefined && !field.isDocumented && at === styleName(field.name, names);
    const left = {
      ...others,
      ...(at !== undefined && !isStyled && { at }),
      ...(as !== undefined && !isDefault && { as }),
    };
    if (Object.keys(left).length === 0) return undefined;
    return Object.keys(left).length === 1 && left.at !== undefined ? left.at : left;
  });
  const { serviceForm, ...others } = form;
  return {
    serviceForm,
    ...(names && { names }),
    ...(times && { times }),
    ...(money && { money }),
    ...others,
    records: withoutDefaults,
  };
}

/** A field without a row keeps its name, unless the service has another field there: it then does not have this one. */
function leaveTakenNames(form: ServiceForm): ServiceForm {
  const records = Object.entries(form.records ?? {}).map(([name, own]) => {
    const record = findRecord(name);
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

type ChangeRow = (
  path: string,
  row: Row,
  record: NonNullable<ReturnType<typeof findRecord>>,
) => Row | undefined;

const findRecord = (name: string) => listContractRecords().get(name);

function mapRows(records: Records, change: ChangeRow): Records {
  const mapped = Object.entries(records).map(([name, { fields = {}, ...others }]) => {
    const record = findRecord(name);
    const rows = Object.entries(fields).flatMap(([path, row]) => {
      const changed = record ? change(path, row, record) : row;
      return changed === undefined ? [] : [[path, changed] as const];
    });
    return [name, { ...others, fields: Object.fromEntries(rows) }] as const;
  });
  return Object.fromEntries(mapped.filter(([, { fields }]) => Object.keys(fields).length > 0));
}

/** Undefined unless all rows with a codec have the same one. */
function findCommonCodec(records: Records, shape: "time" | "money"): CodecName | undefined {
  const seen = new Set<CodecName | undefined>();
  for (const [name, { fields = {} }] of Object.entries(records))
    for (const [path, row] of Object.entries(fields)) {
      const record = findRecord(name);
      if (row === null || !record || findField(record, path.split("."))?.shape !== shape) continue;
      if (typeof row === "object" && row.as !== undefined) seen.add(row.as);
    }
  const [only, ...others] = [...seen];
  return others.length === 0 ? only : undefined;
}

const listPlaces = (records: Records): (readonly [field: string, at: string])[] =>
  Object.entries(records).flatMap(([name, { fields = {} }]) =>
    Object.entries(fields).flatMap(([path, row]) => {
      const at = typeof row === "string" ? row : row?.at;
      const record = findRecord(name);
      const field = record && findField(record, path.split("."));
      return at === undefined || !field || field.isDocumented || path.includes(".")
        ? []
        : [[path, at] as const];
    }),
  );

/** Only names that another style could write. */
const countRenamed = (records: Records): number =>
  listPlaces(records).filter(([, at]) => !at.includes(".")).length;

const countStyled = (records: Records, style: (typeof STYLES)[number]): number =>
  listPlaces(records).filter(([field, at]) => at === styleName(field, style)).length;
