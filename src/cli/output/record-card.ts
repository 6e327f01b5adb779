import { isRecord } from "../../domain/json.ts";
import { formatDollars } from "./numbers.ts";
import type { Block, Card, Cell, ListColumn, Table } from "./output.ts";

type ServiceRecord = Readonly<Record<string, unknown>>;

/** The fields of a record with the names of the service. Nested fields have their path as name. */
export const toRecordCard = (record: ServiceRecord, title?: string): Card => ({
  kind: "card",
  ...(title !== undefined && { title }),
  rows: toRows(record, ""),
});

const toRows = (record: ServiceRecord, prefix: string): (readonly [string, Cell])[] =>
  Object.entries(record).flatMap(([name, value]) =>
    isRecord(value)
      ? toRows(value, `${prefix}${name}.`)
      : [[prefix + name, formatField(name, value)] as const],
  );

/** Cents as dollars. Another service may send other values. */
export const formatMoney = (value: unknown): Cell =>
  Number.isSafeInteger(value) ? formatDollars(Number(value)) : formatValue(value);

/** Fields whose names end with `Cents` are amounts. */
export const formatField = (name: string, value: unknown): Cell =>
  name.endsWith("Cents") ? formatMoney(value) : formatValue(value);

function formatValue(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map(formatValue).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A table of named records; null for none. */
export function toRecordsTable(title: string, records: unknown, first: string): Table | null {
  const named = isRecord(records) ? Object.entries(records).filter(([, each]) => isRecord(each)) : [];
  const lines = named as [string, ServiceRecord][];
  const names = [...new Set(lines.flatMap(([, each]) => Object.keys(each)))];
  if (names.length === 0) return null;
  return {
    kind: "table",
    title,
    columns: [
      { name: first },
      ...names.map((name) => {
        const isNumber = lines.every(([, each]) => typeof each[name] === "number");
        return { name, ...(isNumber && { align: "right" as const }) };
      }),
    ],
    rows: lines.map(([key, each]) => [key, ...names.map((name) => formatField(name, each[name]))]),
  };
}

export const createMoneyColumn = (name: string, title: string): ListColumn<ServiceRecord> => ({
  name,
  title,
  align: "right",
  isWhole: true,
  value: (item) => item[name],
  display: (item) => formatMoney(item[name]),
});

/** A claim or an offer, whose amounts are split by grade. */
export function toGradedBlocks(title: string, { byGrade, ...record }: ServiceRecord): readonly Block[] {
  const grades = toRecordsTable("By grade", byGrade, "grade");
  return [toRecordCard(grades ? record : { ...record, byGrade }, title), ...(grades ? [grades] : [])];
}
