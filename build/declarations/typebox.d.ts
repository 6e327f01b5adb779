declare const value: unique symbol;

/** A JSON Schema (draft 2020-12) of values of the type `Value`. */
export interface Schema<Value = unknown> {
  readonly [keyword: string]: unknown;
  readonly [value]?: Value;
}

export type TSchema = Schema;
export type TObject = Schema<object>;
export type Static<S extends Schema> = S extends Schema<infer Value> ? Value : never;
