// biome-ignore-all lint/suspicious/noShadowRestrictedNames: they are the names of typebox.
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
export function Object<Fields extends TProperties>(
  fields: Fields,
  options?: object,
): ObjectSchema<{ [Name in keyof WithOptional<Fields>]: Static<Fields[Name & keyof Fields]> }>;
export function Optional<S extends Schema>(schema: S): OptionalSchema<Static<S>>;
export function Array<S extends Schema>(items: S, options?: object): Schema<Static<S>[]>;
export function Union<const S extends readonly Schema[]>(
  schemas: S,
  options?: object,
): Schema<Static<S[number]>>;
export function Enum<const Values extends readonly unknown[]>(
  values: Values,
  options?: object,
): Schema<Values[number]>;
export function Literal<const Value>(value: Value, options?: object): Schema<Value>;
export function Unsafe<Value>(schema: object): Schema<Value>;
export function String(options?: object): Schema<string>;
export function Number(options?: object): Schema<number>;
export function Integer(options?: object): Schema<number>;
export function Boolean(options?: object): Schema<boolean>;
export function Null(options?: object): Schema<null>;
export function Unknown(options?: object): Schema;
