import type { ClaimsError } from "../../domain/errors.ts";

/** A cell: text, or nothing to show. */
export type Cell = string | number | null;

/** Lines of a name and a value. */
export interface Card {
  readonly kind: "card";
  readonly title?: string;
  readonly rows: readonly (readonly [name: string, value: Cell])[];
}

export interface Table {
  readonly kind: "table";
  readonly title?: string;
  readonly columns: readonly { readonly name: string; readonly align?: "right" }[];
  readonly rows: readonly (readonly Cell[])[];
}

export interface Paragraph {
  readonly kind: "paragraph";
  readonly title?: string;
  readonly lines: readonly string[];
}

export type Block = Card | Table | Paragraph;

/**
 * What a command has to say. It is data first: `json` is what a program gets (the service's own bytes where it was
 * the service that answered), `blocks` is what a person gets.
 */
export type Output =
  | {
      readonly kind: "document";
      readonly json: Uint8Array | object;
      readonly blocks: readonly Block[];
      /** Printed after the output, and decides the exit code: the answer is there, yet not what was hoped for. */
      readonly failure?: ClaimsError | undefined;
    }
  | {
      readonly kind: "stream";
      readonly body: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;
      /** A file that it is saved to is for the owner's eyes alone. */
      readonly secret?: boolean;
    }
  | { readonly kind: "nothing"; readonly exitCode?: number };
