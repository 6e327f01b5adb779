import type { HeaderList } from "../../http-headers.ts";
import type { CauseId } from "./causes.ts";
import type { Decompress } from "./compression.ts";
import type { ParsedBody } from "./json-text.ts";
import type { UndoneFault } from "./variants.ts";

/**
 * A fault of the body that can be undone. Two faults are undone in the order of their stages: unwrapping comes before
 * printing in another style, and the line end comes last.
 */
export interface BodyFault extends UndoneFault {
  readonly stage: number;
  /** Cost of undoing it for each byte before and after, where it does more than copy bytes (`COST`). */
  readonly costPerByte: number | undefined;
  /** The body that was signed; null where the fault is impossible. */
  readonly undo: Undo;
}

/** What undoing needs beside the body. */
export interface BodyContext {
  readonly headers: HeaderList;
  readonly decompress: Decompress | undefined;
  /** Whether the signature is a receiver's, which signs dumps of parsed bodies more often than a sender. */
  readonly isComputed: boolean;
}

export type Undo = (body: ParsedBody, context: BodyContext) => Uint8Array | string | null;

/** Rarer faults are tried alone. */
export const MAX_PAIRED_COST = 4;

/** Two faults are undone in the order of their stages. */
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

export const fault = (
  id: CauseId,
  stage: number,
  cost: number,
  description: string,
  undo: Undo,
  costPerByte?: number,
): BodyFault => ({ id, stage, cost, description, undo, costPerByte });

/** Undoes a fault of a text that shows it by a pattern. */
export const whereText =
  (pattern: RegExp, undo: (text: string) => ReturnType<Undo>): Undo =>
  ({ text }) =>
    text !== null && pattern.test(text) ? undo(text) : null;
