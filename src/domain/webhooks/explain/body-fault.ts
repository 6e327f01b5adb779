import type { HeaderList } from "../../http-headers.ts";
import type { CauseId } from "./causes.ts";
import type { Decompress } from "./compression.ts";
import type { ParsedBody } from "./json-text.ts";
import type { UndoneFault } from "./variants.ts";

/** A fault of the body that can be undone. */
export interface BodyFault extends UndoneFault {
  readonly stage: number;
  /** A rare fault is undone alone, and in small bodies only. */
  readonly isRare: boolean;
  /** The body that was signed; null where the fault is impossible. */
  readonly undo: Undo;
}

/** What undoing needs beside the body. */
export interface BodyContext {
  readonly headers: HeaderList;
  readonly decompress?: Decompress | undefined;
  /** Whether the signature is a receiver's, which signs dumps of parsed bodies more often than a sender. */
  readonly isComputed: boolean;
}

export type Undo = (body: ParsedBody, context: BodyContext) => Uint8Array | string | null;

/** Two faults are undone in this order: unwrapping comes before printing in another style, and the line end comes last. */
export const STAGE = {
  frame: 0,
  wrap: 1,
  compress: 2,
  charset: 3,
  lines: 4,
  print: 5,
  edges: 6,
  bom: 7,
  encode: 8,
} as const;

export const fault = (id: CauseId, stage: number, description: string, undo: Undo): BodyFault => ({
  id,
  stage,
  description,
  undo,
  isRare: false,
});

export const rareFault = (...row: Parameters<typeof fault>): BodyFault => ({
  ...fault(...row),
  isRare: true,
});

/** Undoes a fault of a text that shows it by a pattern. */
export const whereText =
  (pattern: RegExp, undo: (text: string) => ReturnType<Undo>): Undo =>
  ({ text }) =>
    text !== null && pattern.test(text) ? undo(text) : null;
