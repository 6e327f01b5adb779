/** A JSON Schema (draft 2020-12) of values of the type `Value`. */
export interface Schema<Value = unknown> {
  readonly [keyword: string]: unknown;
  readonly description?: string;
  readonly "~value"?: Value;
}

/** Of objects. */
export interface ObjectSchema<Value> extends Schema<Value> {
  readonly required: string[];
  readonly properties: {
    [Name in keyof Value]-?: object extends Pick<Value, Name>
      ? OptionalSchema<Value[Name]>
      : Schema<Value[Name]>;
  };
}

export interface OptionalSchema<Value> extends Schema<Value> {
  readonly "~optional": true;
}

export type TSchema = Schema;

export interface TObject extends Schema<object> {
  readonly properties: TProperties;
  readonly required: string[];
}

export type TProperties = Record<string, Schema>;
export type Static<S> = S extends Schema<infer Value> ? Value : never;

export type OptionalNames<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends OptionalSchema<unknown> ? Name : never;
}[keyof Fields];

export type WithOptional<Fields> = Omit<Fields, OptionalNames<Fields>> &
  Partial<Pick<Fields, OptionalNames<Fields>>>;

// Stands for typebox while the declarations of the package are written. A schema is nothing but the type of its values here, so
// the compiler writes these types out: the declarations of typebox itself cannot be rolled up (generate.js).
declare const Type: {
  Object<Fields extends TProperties>(
    fields: Fields,
    options?: object,
  ): ObjectSchema<{ [Name in keyof WithOptional<Fields>]: Static<Fields[Name & keyof Fields]> }>;
  Optional<S extends Schema>(schema: S): OptionalSchema<Static<S>>;
  Partial<Value>(schema: Schema<Value>): Schema<{ [Name in keyof Value]?: Value[Name] }>;
  Record<S extends Schema>(name: Schema, values: S, options?: object): Schema<{ [name: string]: Static<S> }>;
  Array<S extends Schema>(items: S, options?: object): Schema<Static<S>[]>;
  Tuple<const S extends readonly Schema[]>(
    items: S,
    options?: object,
  ): Schema<{ -readonly [Index in keyof S]: Static<S[Index]> }>;
  Union<const S extends readonly Schema[]>(schemas: S, options?: object): Schema<Static<S[number]>>;
  Enum<const Values extends readonly unknown[]>(values: Values, options?: object): Schema<Values[number]>;
  Literal<const Value>(value: Value, options?: object): Schema<Value>;
  Unsafe<Value>(schema: object): Schema<Value>;
  String(options?: object): Schema<string>;
  Number(options?: object): Schema<number>;
  Integer(options?: object): Schema<number>;
  Boolean(options?: object): Schema<boolean>;
  Null(options?: object): Schema<null>;
  Unknown(options?: object): Schema;
};
export default Type;
