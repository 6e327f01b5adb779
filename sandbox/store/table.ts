import type { Column } from "./columns.ts";
import type { SqlValue, Store } from "./store.ts";

type Columns = Readonly<Record<string, Column<unknown>>>;

type RowOfColumns<C extends Columns> = {
  readonly [Field in keyof C]: C[Field] extends Column<infer Value> ? Value : never;
};

type OmittableField<C extends Columns> = {
  [Field in keyof C]: C[Field]["canOmit"] extends true ? Field : never;
}[keyof C];

type NewRowOfColumns<C extends Columns> = Omit<RowOfColumns<C>, OmittableField<C>> &
  Partial<Pick<RowOfColumns<C>, OmittableField<C>>>;

export type RowOf<T> = T extends Table<infer Row, infer _> ? Row : never;
/** What a caller gives for a new row; SQLite has values for the other columns. */
export type NewRowOf<T> = T extends Table<infer _, infer NewRow> ? NewRow : never;

/** The values that a row must have. Undefined allows any value. */
export type RowFilter<Row> = { readonly [Field in keyof Row]?: Row[Field] | undefined };

/** A page of a list: the newest rows below `before`, or from the newest row of all. */
export interface PageRequest {
  readonly before: number | null;
  readonly limit: number;
}

/** A text to find in some fields, whatever the case of its letters A to Z; an empty one finds every row. */
export interface TextSearch<Field> {
  readonly text: string;
  readonly fields: readonly Field[];
}

/** A search looks at so many of the latest rows: all of them would take too long. */
const MAX_ROWS_SEARCHED = 20_000;

export interface RowPage<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

interface TableOptions<Field> {
  /** The fields of the key; by default, the first column declares that it is the key. */
  readonly key?: readonly Field[];
  readonly indexes?: readonly (readonly Field[])[];
}

/** The column of the field `createdAt` is `created_at`. @param name with its database, as in `bulk.delivery` */
export const defineTable = <C extends Columns>(
  name: string,
  columns: C,
  options: TableOptions<keyof C & string> = {},
) => new Table<RowOfColumns<C>, NewRowOfColumns<C>>(name, columns, options);

/** More would not be faster, and each number of rows is a statement that the store keeps. */
const MAX_ROWS_OF_INSERT = 16;

export class Table<Row extends object, NewRow extends object> {
  readonly name: string;
  /** Of the columns that are stored. */
  readonly columnNames: readonly string[];
  readonly key: readonly string[];
  readonly #definitions: Columns;
  readonly #options: TableOptions<keyof Row & string>;
  readonly #fields: readonly string[];
  readonly #storedFields: readonly string[];
  readonly #codecs: readonly Column<unknown>["codec"][];
  /** The SQL of a statement by its fields. It would take several microseconds to write it again. */
  readonly #statements = new Map<string, string>();

  constructor(name: string, definitions: Columns, options: TableOptions<keyof Row & string>) {
    this.name = name;
    this.#definitions = definitions;
    this.#options = options;
    this.#fields = Object.keys(definitions);
    this.#codecs = Object.values(definitions).map(({ codec }) => codec);
    this.#storedFields = this.#fields.filter((field) => definitions[field]?.expression === undefined);
    this.columnNames = this.#storedFields.map(toColumnName);
    this.key = options.key?.map(toColumnName) ?? this.columnNames.slice(0, 1);
  }

  get declaration(): string {
    const [database, table] = this.name.split(".");
    const { key, indexes = [] } = this.#options;
    const columns = this.#storedFields.map(
      (field) => `${toColumnName(field)} ${this.#definitions[field]?.declaration}`,
    );
    const content = key ? [...columns, `PRIMARY KEY (${this.key.join(", ")})`] : columns;
    return [
      `CREATE TABLE ${this.name} (${content.join(", ")})${key ? " WITHOUT ROWID" : ""};`,
      ...indexes.map((fields) => {
        const names = fields.map(toColumnName);
        return `CREATE INDEX ${database}.${table}_by_${names.join("_")} ON ${table} (${names.join(", ")});`;
      }),
    ].join("\n");
  }

  only<Field extends keyof Row & string>(...fields: Field[]): Table<Pick<Row, Field>, never> {
    const definitions = Object.fromEntries(fields.map((field) => [field, this.#definitions[field]]));
    return new Table<Pick<Row, Field>, never>(this.name, definitions as Columns, {});
  }

  /** Inserts rows with the same fields. Those that are no columns of the table are ignored. */
  insert(store: Store, ...rows: readonly NewRow[]): void {
    const fields = this.#listWritableFields(rows[0] ?? {});
    for (let start = 0; start < rows.length; start += MAX_ROWS_OF_INSERT) {
      const some = rows.slice(start, start + MAX_ROWS_OF_INSERT);
      const sql = this.#statement(`INSERT ${some.length} ${fields}`, () => {
        const places = some.map(() => `(${fields.map(() => "?").join(", ")})`).join(", ");
        return `INSERT INTO ${this.name} (${fields.map(toColumnName).join(", ")}) VALUES ${places}`;
      });
      store.run(
        sql,
        some.flatMap((row) => this.#write(row, fields)),
      );
    }
  }

  update(store: Store, filter: Partial<Row>, changes: Partial<Row>): void {
    const fields = this.#listWritableFields(changes);
    const filterFields = this.#listGivenFields(filter);
    const sql = this.#statement(`UPDATE ${fields} WHERE ${filterFields}`, () => {
      const assignments = fields.map(toEquation).join(", ");
      return `UPDATE ${this.name} SET ${assignments} WHERE ${toCondition(filterFields)}`;
    });
    store.run(sql, [...this.#write(changes, fields), ...this.#write(filter, filterFields)]);
  }

  find(store: Store, filter: Partial<Row>): Row | undefined {
    const fields = this.#listGivenFields(filter);
    const sql = this.#statement(`WHERE ${fields}`, () => this.#selectSql(`WHERE ${toCondition(fields)}`));
    const cells = store.get(sql, this.#write(filter, fields));
    return cells && this.#read(cells);
  }

  /** A row that must be there. */
  get(store: Store, filter: Partial<Row>): Row {
    const row = this.find(store, filter);
    if (!row) throw new Error(`no ${this.name} in the store with ${JSON.stringify(filter)}`);
    return row;
  }

  /** A row as SQLite stores it, in the order of the columns. */
  toCells(row: Row): SqlValue[] {
    return this.#write(row, this.#storedFields);
  }

  /** The rows that `clauses` select: what follows FROM. */
  select(store: Store, clauses: string, parameters: SqlValue[] = []): Row[] {
    const sql = this.#statement(clauses, () => this.#selectSql(clauses));
    return store.all(sql, parameters).map((cells) => this.#read(cells));
  }

  /** The newest rows first, by `seq`. */
  list(
    store: Store,
    filter: RowFilter<Row>,
    { before, limit }: PageRequest,
    search?: TextSearch<keyof Row & string>,
  ): Row[] {
    const fields = this.#listGivenFields(filter);
    const conditions = [toCondition(fields), "seq < ?"];
    const values = [...this.#write(filter, fields), before ?? Number.MAX_SAFE_INTEGER];
    if (search && search.text !== "") {
      const found = search.fields.map((field) => `instr(lower(${this.#sqlOf(field)}), lower(?))`);
      conditions.push(`(${found.join(" OR ")})`, `seq > (SELECT MAX(seq) FROM ${this.name}) - ?`);
      values.push(...found.map(() => search.text), MAX_ROWS_SEARCHED);
    }
    const clauses = `WHERE ${conditions.join(" AND ")} ORDER BY seq DESC LIMIT ?`;
    return this.select(store, clauses, [...values, limit]);
  }

  /** As {@link list}, and whether more rows follow. */
  page(
    store: Store,
    filter: RowFilter<Row>,
    { before, limit }: PageRequest,
    search?: TextSearch<keyof Row & string>,
  ): RowPage<Row> {
    const rows = this.list(store, filter, { before, limit: limit + 1 }, search);
    const hasMore = rows.length > limit;
    if (hasMore) rows.pop();
    return { rows, hasMore };
  }

  sum<Field extends keyof Row & string>(
    store: Store,
    filter: Partial<Row>,
    ...fields: Field[]
  ): Readonly<Record<Field | "count", number>> {
    const filterFields = this.#listGivenFields(filter);
    const sums = fields.map((field) => `COALESCE(SUM(${this.#sqlOf(field)}), 0)`);
    const sql = `SELECT ${["COUNT(*)", ...sums].join(", ")} FROM ${this.name} WHERE ${toCondition(filterFields)}`;
    const totals = store.get(sql, this.#write(filter, filterFields)) ?? [];
    const names = ["count", ...fields];
    return Object.fromEntries(names.map((name, index) => [name, totals[index]])) as Record<
      Field | "count",
      number
    >;
  }

  /** The number of rows for each value of a field that occurs, sorted by the value. */
  countBy(store: Store, field: keyof Row & string): Readonly<Record<string, number>> {
    const sql = `SELECT ${this.#sqlOf(field)}, COUNT(*) FROM ${this.name} GROUP BY 1 ORDER BY 1`;
    return Object.fromEntries(store.all(sql) as [string, number][]);
  }

  #sqlOf(field: string): string {
    return this.#definitions[field]?.expression ?? toColumnName(field);
  }

  #selectSql(clauses: string): string {
    const columns = this.#fields.map((field) => this.#sqlOf(field));
    return `SELECT ${columns.join(", ")} FROM ${this.name} ${clauses}`;
  }

  #statement(key: string, write: () => string): string {
    let sql = this.#statements.get(key);
    if (sql === undefined) {
      sql = write();
      this.#statements.set(key, sql);
    }
    return sql;
  }

  /** The fields of the table that have a value in `row`. */
  #listGivenFields(row: object): string[] {
    return Object.keys(row).filter(
      (field) => row[field as never] !== undefined && this.#definitions[field] !== undefined,
    );
  }

  #listWritableFields(row: object): string[] {
    return this.#listGivenFields(row).filter((field) => this.#definitions[field]?.expression === undefined);
  }

  #write(row: object, fields: readonly string[]): SqlValue[] {
    return fields.map((field) => {
      const value = row[field as never];
      return this.#definitions[field]?.codec?.write(value) ?? value;
    });
  }

  /** In a loop, because a list may have thousands of rows. */
  #read(cells: readonly SqlValue[]): Row {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < cells.length; index += 1) {
      const codec = this.#codecs[index];
      const cell = cells[index] as SqlValue;
      row[this.#fields[index] as string] = codec ? codec.read(cell) : cell;
    }
    return row as Row;
  }
}

const toColumnName = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const toEquation = (field: string): string => `${toColumnName(field)} = ?`;

const toCondition = (fields: readonly string[]): string => fields.map(toEquation).join(" AND ") || "TRUE";
