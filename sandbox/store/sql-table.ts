import { Buffer } from "node:buffer";
import type { Environment } from "../../src/domain/environments.ts";
import type { Caller } from "./credentials.ts";
import type { SqlValue, Store } from "./open.ts";

/** How the values of a column are stored. */
interface Column<T> {
  /** The expression of a column that is only read. */
  readonly sql?: string;
  read(cell: SqlValue): T;
  write(value: T): SqlValue;
}

/** A column whose values SQLite stores unchanged. */
export const plain = <T extends SqlValue>(): Column<T> => ({
  read: (cell) => cell as T,
  write: (value) => value,
});

export const integer = plain<number>();
export const text = plain<string>();
export const optionalInteger = plain<number | null>();
export const optionalText = plain<string | null>();

export const boolean: Column<boolean> = { read: (cell) => cell === 1, write: (value) => (value ? 1 : 0) };

/** JSON text, or NULL for null. */
export const json = <T>(): Column<T> => ({
  read: (cell) => (cell === null ? null : JSON.parse(cell as string)),
  write: (value) => (value === null ? null : JSON.stringify(value)),
});

/** JSON as bytes, for long documents: to bind a string, sql.js loops over its characters. */
export const jsonBytes = <T>(): Column<T> => ({
  read: (cell) => (cell === null ? null : JSON.parse(decodeText(cell as Uint8Array))),
  write: (value) => (value === null ? null : Buffer.from(JSON.stringify(value))),
});

/** A column that this expression computes. It is never written. */
export const computed = <T extends SqlValue>(sql: string): Column<T> => ({ ...plain<T>(), sql });

/** The columns of a row that belongs to a partner and environment: other callers do not see it (product.md §5). */
export const owner = { partner: integer, environment: plain<Environment>() };

export const ownerOf = ({ partner, environment }: Caller): Caller => ({ partner, environment });

export const decodeText = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString();

/** A page of a list: the newest rows below `before`, or from the newest row of all. */
export interface PageRequest {
  readonly before: number | null;
  readonly limit: number;
}

export interface RowPage<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

/** The values that a row must have. Undefined allows any value. */
type Filter<Row> = { readonly [Field in keyof Row]?: Row[Field] | undefined };

export type RowOf<Table> = Table extends SqlTable<infer Row> ? Row : never;

/** A table and its columns by field. The column of the field `createdAt` is `created_at`. */
export class SqlTable<Row extends object> {
  readonly #name: string;
  readonly #columns: { readonly [Field in keyof Row]: Column<Row[Field]> };
  readonly #fields: readonly (keyof Row & string)[];
  readonly #select: string;
  /** The SQL of a statement by its fields. It would take several microseconds to write it again. */
  readonly #statements = new Map<string, string>();

  constructor(name: string, columns: { readonly [Field in keyof Row]: Column<Row[Field]> }) {
    this.#name = name;
    this.#columns = columns;
    this.#fields = Object.keys(columns) as (keyof Row & string)[];
    this.#select = `SELECT ${this.#fields.map((field) => this.#sqlOf(field)).join(", ")} FROM ${name}`;
  }

  /** The same table with these columns only. */
  only<Field extends keyof Row & string>(...fields: Field[]): SqlTable<Pick<Row, Field>> {
    const columns = Object.fromEntries(fields.map((field) => [field, this.#columns[field]]));
    return new SqlTable<Pick<Row, Field>>(this.#name, columns as { [F in Field]: Column<Row[F]> });
  }

  /** Fields that are no columns of the table are ignored. */
  insert(store: Store, row: Partial<Row>): void {
    const fields = this.#writable(row);
    const sql = this.#statement(`INSERT ${fields}`, () => {
      const places = fields.map(() => "?").join(", ");
      return `INSERT INTO ${this.#name} (${fields.map(toColumnName).join(", ")}) VALUES (${places})`;
    });
    store.run(sql, this.#write(row, fields));
  }

  update(store: Store, filter: Partial<Row>, changes: Partial<Row>): void {
    const fields = this.#writable(changes);
    const filterFields = this.#given(filter);
    const sql = this.#statement(`UPDATE ${fields} WHERE ${filterFields}`, () => {
      const assignments = fields.map(toEquation).join(", ");
      return `UPDATE ${this.#name} SET ${assignments} WHERE ${toCondition(filterFields)}`;
    });
    store.run(sql, [...this.#write(changes, fields), ...this.#write(filter, filterFields)]);
  }

  find(store: Store, filter: Partial<Row>): Row | undefined {
    const fields = this.#given(filter);
    const sql = this.#statement(
      `SELECT WHERE ${fields}`,
      () => `${this.#select} WHERE ${toCondition(fields)}`,
    );
    const cells = store.get(sql, this.#write(filter, fields));
    return cells && this.#read(cells);
  }

  /** A row that must be there. */
  get(store: Store, filter: Partial<Row>): Row {
    const row = this.find(store, filter);
    if (!row) throw new Error(`no ${this.#name} in the store with ${JSON.stringify(filter)}`);
    return row;
  }

  /** The rows that `clauses` select: what follows FROM. */
  select(store: Store, clauses: string, parameters: SqlValue[] = []): Row[] {
    return store.all(`${this.#select} ${clauses}`, parameters).map((cells) => this.#read(cells));
  }

  /** The newest rows first, by `seq`. */
  list(store: Store, filter: Filter<Row>, { before, limit }: PageRequest): Row[] {
    const { sql, values } = this.#where(filter);
    const clauses = `WHERE ${sql} AND seq < ? ORDER BY seq DESC LIMIT ?`;
    return this.select(store, clauses, [...values, before ?? Number.MAX_SAFE_INTEGER, limit]);
  }

  /** As {@link list}, and whether more rows follow. */
  page(store: Store, filter: Filter<Row>, { before, limit }: PageRequest): RowPage<Row> {
    const rows = this.list(store, filter, { before, limit: limit + 1 });
    return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
  }

  /** The number of rows, and the sum of each of these fields. */
  sum<Field extends keyof Row & string>(
    store: Store,
    filter: Partial<Row>,
    ...fields: Field[]
  ): { readonly count: number } & Readonly<Record<Field, number>> {
    const { sql, values } = this.#where(filter);
    const sums = fields.map((field) => `COALESCE(SUM(${this.#sqlOf(field)}), 0)`);
    const [count, ...totals] = store.all(
      `SELECT ${["COUNT(*)", ...sums].join(", ")} FROM ${this.#name} WHERE ${sql}`,
      values,
    )[0] as number[];
    const summed = Object.fromEntries(fields.map((field, index) => [field, totals[index]]));
    return { count, ...summed } as { readonly count: number } & Readonly<Record<Field, number>>;
  }

  #sqlOf(field: keyof Row & string): string {
    return this.#columns[field].sql ?? toColumnName(field);
  }

  #statement(key: string, write: () => string): string {
    let sql = this.#statements.get(key);
    if (sql === undefined) {
      sql = write();
      this.#statements.set(key, sql);
    }
    return sql;
  }

  /** The columns that have a value in `row`. */
  #given(row: Filter<Row>): (keyof Row & string)[] {
    const fields = Object.keys(row) as (keyof Row & string)[];
    return fields.filter((field) => row[field] !== undefined && this.#columns[field] !== undefined);
  }

  #writable(row: Partial<Row>): (keyof Row & string)[] {
    return this.#given(row).filter((field) => this.#columns[field].sql === undefined);
  }

  #write(row: Partial<Row>, fields: readonly (keyof Row & string)[]): SqlValue[] {
    return fields.map((field) => this.#columns[field].write(row[field] as Row[typeof field]));
  }

  #where(filter: Filter<Row>): { readonly sql: string; readonly values: SqlValue[] } {
    const fields = this.#given(filter);
    return { sql: toCondition(fields), values: this.#write(filter as Partial<Row>, fields) };
  }

  #read(cells: readonly SqlValue[]): Row {
    const row: Partial<Row> = {};
    this.#fields.forEach((field, index) => {
      row[field] = this.#columns[field].read(cells[index] ?? null);
    });
    return row as Row;
  }
}

const toColumnName = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const toEquation = (field: string): string => `${toColumnName(field)} = ?`;

const toCondition = (fields: readonly string[]): string => fields.map(toEquation).join(" AND ") || "TRUE";
