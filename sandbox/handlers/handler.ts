import type { Static, TSchema } from "typebox";
import type { Operation, ParamsOf } from "../../src/contract/operation.ts";
import type { OPERATIONS } from "../../src/contract/operations.ts";
import type { Engine } from "../engine/engine.ts";
import type { Upload } from "../engine/uploads.ts";
import type { Caller } from "../store/credentials.ts";

/** The decoded text fields of a form: name → every value sent under it. */
export type FormFields = ReadonlyMap<string, readonly string[]>;

/** A file part as it came. `upload` is null where the part is not what the row asks for: its bytes were dropped. */
export interface FilePart {
  readonly field: string;
  /** The part's file name without folders, null when there is none. */
  readonly name: string | null;
  /** Media type without parameters, lower-case. */
  readonly type: string;
  readonly bytes: number;
  /** Hex; only where the request has an Idempotency-Key. */
  readonly sha256: string | null;
  readonly upload: Upload | null;
}

export interface MultipartBody {
  readonly fields: FormFields;
  readonly files: readonly FilePart[];
}

/** What a body of each kind is once it has been read. */
export interface ParsedBodies {
  readonly multipart: MultipartBody;
  readonly form: FormFields;
  readonly json: unknown;
}

/** JSON has been held against the row's schema when a handler sees it. */
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

/** What a handler is asked, without HTTP's machinery. */
export interface HandlerInput<O extends Operation = Operation> {
  readonly params: ParamsOf<O>;
  readonly caller: O["auth"] extends "credential" ? Caller : null;
  /** Held against the row's schema; null where the row has no query. */
  readonly query: QueryOf<O>;
  readonly body: BodyOf<O>;
  /** Whether the request came over the compatibility path (interface §9.2). */
  readonly legacy: boolean;
  /** A request header, empty when absent. */
  header(name: string): string;
  /** Which of these media types the caller likes best; null when none will do. */
  accepts(types: readonly string[]): string | null;
}

/** A document with a list too long for memory, read page by page as it is sent. */
export interface StreamedList {
  /** What the document says beside its list; never nothing. */
  readonly head: object;
  /** The field of the document that is the list. */
  readonly name: string;
  readonly pages: Iterable<readonly object[]>;
  /** `application/json` for the document, `application/x-ndjson` for the items alone. */
  readonly type: string;
}

/** What a handler answers; the status is the row's. `text` is JSON already, `stream` a body of another `type`. */
export type HandlerResult<O extends Operation = Operation> = {
  readonly headers?: Readonly<Record<string, string>>;
  /** The ids of the events that were emitted with it. */
  readonly events?: readonly string[];
} /** `repeated`: what a repeat with the same Idempotency-Key gets in its place. */ & (
  | { readonly json: Static<O["response"]["schema"]>; readonly repeated?: Static<O["response"]["schema"]> }
  | { readonly text: string }
  | { readonly list: StreamedList }
  | { readonly stream: Iterable<string>; readonly type: string }
);

export type Handler<O extends Operation = Operation> = (
  input: HandlerInput<O>,
  engine: Engine,
) => HandlerResult<O> | Promise<HandlerResult<O>>;

/** One handler for each operation of a noun; a forgotten one does not compile. */
export type HandlersOf<Noun extends keyof typeof OPERATIONS> = {
  readonly [Verb in keyof (typeof OPERATIONS)[Noun]]: (typeof OPERATIONS)[Noun][Verb] extends infer O extends
    Operation
    ? Handler<O>
    : never;
};
