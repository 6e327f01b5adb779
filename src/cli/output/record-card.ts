import { isRecord } from "../../domain/json.ts";
import type { ServiceRecord } from "../records/paged-list.ts";
import { formatDollars } from "./numbers.ts";
import type { Block, Card, Cell, ListColumn, Table } from "./output.ts";

/** The fields of a record under the names that the service uses; an amount of cents is shown in dollars. */
export const toRecordCard = (record: ServiceRecord, title?: string): Card => ({
  kind: "card",
  ...(title !== undefined && { title }),
  rows: toRows(record, ""),
});

/** What a record has within it stands under its path. */
const toRows = (record: ServiceRecord, prefix: string): (readonly [string, Cell])[] =>
  Object.entries(record).flatMap(([name, value]) =>
    isRecord(value)
      ? toRows(value, `${prefix}${name}.`)
      : [[prefix + name, formatField(name, value)] as const],
  );

/** What stands in a column of amounts for a person; of another service it may be anything. */
export const formatMoney = (value: unknown): Cell =>
  Number.isSafeInteger(value) ? formatDollars(Number(value)) : formatValue(value);

/** What a person sees of a field: an amount of cents in dollars. */
export const formatField = (name: string, value: unknown): Cell =>
  name.endsWith("Cents") ? formatMoney(value) : formatValue(value);

function formatValue(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map(formatValue).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Records by name as a table, a line for each; null where there are none. */
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

/** A column of amounts: integer cents for programs, dollars for a person. */
export const createMoneyColumn = (name: string, title: string): ListColumn<ServiceRecord> => ({
  name,
  title,
  align: "right",
  isWhole: true,
  value: (item) => item[name],
  display: (item) => formatMoney(item[name]),
});

/** A record whose amounts are split by grade, as claims and offers are. */
export function toGradedBlocks(title: string, { byGrade, ...record }: ServiceRecord): readonly Block[] {
  const grades = toRecordsTable("By grade", byGrade, "grade");
  return [toRecordCard(grades ? record : { ...record, byGrade }, title), ...(grades ? [grades] : [])];
}
