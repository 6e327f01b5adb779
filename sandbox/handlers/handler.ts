import type { Static, TSchema } from "typebox";
import type { PageWindow } from "../../src/contract/mapping/paging.ts";
import type { Operation, ParamsOf } from "../../src/contract/operations/operation.ts";
import type { OPERATIONS } from "../../src/contract/operations/operations.ts";
import type { Engine } from "../engine/engine.ts";
import type { Upload } from "../engine/uploads.ts";
import type { Caller } from "../store/credentials.ts";

/** The decoded text fields of a multipart form: name → all its values. */
export type FormFields = ReadonlyMap<string, readonly string[]>;

/** A file part. `upload` is null if the part does not have the media type of the row: its bytes were dropped. */
export interface FilePart {
  readonly field: string;
  /** Without folders; null if the part has no file name. */
  readonly name: string | null;
  /** Media type without parameters, lower-case. */
  readonly type: string;
  readonly bytes: number;
  /** Hex; null if the request has no Idempotency-Key. */
  readonly sha256: string | null;
  readonly upload: Upload | null;
}

export interface MultipartBody {
  readonly fields: FormFields;
  readonly files: readonly FilePart[];
}

/** Only the token route takes a form. */
export interface FormBody {
  /** The first value of each name. */
  readonly fields: Readonly<Record<string, string>>;
  /** A name that occurs twice, or null. */
  readonly repeated: string | null;
}

export interface ParsedBodies {
  readonly multipart: MultipartBody;
  readonly form: FormBody;
  readonly json: unknown;
}

/** JSON is valid against the row's schema. */
type BodyOf<O extends Operation> = O extends {
  readonly request: { readonly kind: infer Kind extends keyof ParsedBodies; readonly schema: infer Schema };
}
  ? Kind extends "json"
    ? Static<Schema & TSchema>
    : ParsedBodies[Kind]
  : null;

type QueryOf<O extends Operation> = O extends { readonly query: infer Schema extends TSchema }
  ? Static<Schema>
  : null;

export interface HandlerInput<O extends Operation = Operation> {
  readonly params: ParamsOf<O>;
  readonly caller: O extends { readonly auth: "client" } ? null : Caller;
  /** Valid against the row's schema; null if the row has no query. */
  readonly query: QueryOf<O>;
  readonly body: BodyOf<O>;
  /** Whether the request came over the compatibility path (interface §9.2). */
  readonly legacy: boolean;
  header(name: string): string;
  /** Returns the media type that the caller prefers, or null if it accepts none of them. Sets Vary. */
  accepts(types: readonly string[]): string | null;
}

/** A document with a list that is too long for memory: it is read page by page while it is sent. */
export interface StreamedList {
  /** The other fields of the document, at least one. */
  readonly head: object;
  /** The name of the field that has the list. */
  readonly name: string;
  readonly pages: Iterable<readonly object[]>;
  /** `application/json` for the document, `application/x-ndjson` for only the items. */
  readonly type: string;
}

/** Its status is the row's. `text` is serialized JSON, `stream` a body of another `type`, `repeated` the `json` of a replay. */
export type HandlerResult<O extends Operation = Operation> = {
  readonly headers?: Readonly<Record<string, string>>;
  /** Of a page: what it is a part of, for a service that says so. */
  readonly window?: PageWindow;
  readonly events?: readonly string[];
} & (
  | { readonly json: Static<O["response"]["schema"]>; readonly repeated?: Static<O["response"]["schema"]> }
  | { readonly text: string }
  | { readonly list: StreamedList }
  | { readonly stream: Iterable<string>; readonly type: string }
);

export type Handler<O extends Operation = Operation> = (
  input: HandlerInput<O>,
  engine: Engine,
) => HandlerResult<O> | Promise<HandlerResult<O>>;

export type HandlersOf<Noun extends keyof typeof OPERATIONS> = {
  readonly [Verb in keyof (typeof OPERATIONS)[Noun]]: (typeof OPERATIONS)[Noun][Verb] extends infer O extends
    Operation
    ? Handler<O>
    : never;
};
