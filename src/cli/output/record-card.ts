import { isRecord } from "../../domain/json.ts";
import { labelOutcome } from "../../domain/labels.ts";
import { formatDollars } from "../../domain/numbers.ts";
import type { Card, Cell, ListColumn, TableBlock } from "./output.ts";

type ServiceRecord = Readonly<Record<string, unknown>>;

/** The fields of a record with the names of the service; amounts are named without `Cents`, and shown in dollars. */
export const toRecordCard = (section: string, record: ServiceRecord, title?: string): Card => ({
  kind: "card",
  section,
  ...(title !== undefined && { title }),
  record,
  rows: listFields(record).map(([path, value]) => [labelField(path), formatField(path, value)]),
});

/** Nested fields have their path as name, as in `--fields`. A blank name is quoted, so that it can be seen. */
export const listFields = (record: ServiceRecord, prefix = ""): (readonly [path: string, value: unknown])[] =>
  Object.entries(record).flatMap(([given, value]) => {
    const name = given.trim() === "" ? JSON.stringify(given) : given;
    return isRecord(value) ? listFields(value, `${prefix}${name}.`) : [[prefix + name, value] as const];
  });

/** `estimatedClaimCents` → `estimated claim`, `rateBps` → `rate`; other names unchanged. */
const labelField = (path: string): string => (/(Cents|Bps)$/.test(path) ? humanizeName(path) : path);

/** `estimatedClaimCents` → `estimated claim` */
export const humanizeName = (name: string): string =>
  name
    .replace(/(Cents|Bps)$/, "")
    .replaceAll("_", " ")
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace("ieepa", "IEEPA");

export const formatMoney = (value: unknown): Cell =>
  Number.isSafeInteger(value) ? formatDollars(Number(value)) : formatValue(value);

/** Fields whose names end with `Cents` are amounts, and with `Bps` hundredths of a percent. */
export function formatField(name: string, value: unknown): Cell {
  if (name.endsWith("Cents")) return formatMoney(value);
  if (name.endsWith("Bps") && typeof value === "number") return `${value / 100} %`;
  return name === "reviewOutcome" ? labelOutcome(String(value)) : formatValue(value);
}

function formatValue(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map(formatValue).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Records with more fields than this between them are no table: its size would grow with the square of theirs. */
const MAX_TABLE_COLUMNS = 50;

export function toRecordsTable(
  section: string,
  title: string,
  records: unknown,
  first: string,
): TableBlock | null {
  const named = isRecord(records) ? Object.entries(records).filter(([, each]) => isRecord(each)) : [];
  const lines = named as [string, ServiceRecord][];
  const names = [...new Set(lines.flatMap(([, each]) => Object.keys(each)))];
  if (names.length === 0 || names.length > MAX_TABLE_COLUMNS) return null;
  return {
    kind: "table",
    section,
    title,
    columns: [
      { name: first },
      ...names.map((name) => {
        const isNumber = lines.every(([, each]) => typeof each[name] === "number");
        return { name: labelField(name), ...(isNumber && { align: "right" as const }) };
      }),
    ],
    rows: lines.map(([key, each]) => [key, ...names.map((name) => formatField(name, each[name]))]),
    values: lines.map(([key, each]) => [key, ...names.map((name) => each[name])]),
  };
}

export const createMoneyColumn = (name: string, title: string) =>
  ({
    name,
    title,
    align: "right",
    isWhole: true,
    value: (item) => item[name],
    display: (item) => formatMoney(item[name]),
  }) as const satisfies ListColumn<ServiceRecord>;

export function toGradedBlocks(section: string, title: string, { byGrade, ...record }: ServiceRecord) {
  const grades = toRecordsTable("byGrade", "By grade", byGrade, "grade");
  return [
    toRecordCard(section, grades || byGrade === undefined ? record : { ...record, byGrade }, title),
    ...(grades ? [grades] : []),
  ];
}
