import { isRecord } from "../domain/json.ts";
import { dollars } from "./output/numbers.ts";
import type { Block, Card, Cell, Column, Table } from "./output/output.ts";
import type { Item } from "./paged-list.ts";

/** The fields of a record under the names that the service uses; an amount of cents is shown in dollars. */
export const recordCard = (record: Item, title?: string): Card => ({
  kind: "card",
  ...(title !== undefined && { title }),
  rows: rowsOf(record, ""),
});

/** What a record has within it stands under its path. */
const rowsOf = (record: Item, prefix: string): (readonly [string, Cell])[] =>
  Object.entries(record).flatMap(([name, value]) =>
    isRecord(value) ? rowsOf(value, `${prefix}${name}.`) : [[prefix + name, cellOf(name, value)] as const],
  );

/** What stands in a column of amounts for a person; of another service it may be anything. */
export const moneyCell = (value: unknown): Cell =>
  Number.isSafeInteger(value) ? dollars(Number(value)) : textOf(value);

/** What a person sees of a field: an amount of cents in dollars. */
export const cellOf = (name: string, value: unknown): Cell =>
  name.endsWith("Cents") ? moneyCell(value) : textOf(value);

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Records by name as a table, a line for each; null where there are none. */
export function recordsTable(title: string, records: unknown, first: string): Table | null {
  const named = isRecord(records) ? Object.entries(records).filter(([, each]) => isRecord(each)) : [];
  const lines = named as [string, Item][];
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
    rows: lines.map(([key, each]) => [key, ...names.map((name) => cellOf(name, each[name]))]),
  };
}

/** A column of amounts: integer cents for programs, dollars for a person. */
export const moneyColumn = (name: string, title: string): Column<Item> => ({
  name,
  title,
  align: "right",
  isWhole: true,
  of: (item) => item[name],
  shown: (item) => moneyCell(item[name]),
});

/** A record whose amounts are split by grade, as claims and offers are. */
export function gradedBlocks(title: string, { byGrade, ...record }: Item): readonly Block[] {
  const grades = recordsTable("By grade", byGrade, "grade");
  return [recordCard(grades ? record : { ...record, byGrade }, title), ...(grades ? [grades] : [])];
}
