import type { CauseId } from "./causes.ts";

/** A fault to undo before the signature can match. */
export interface UndoneFault {
  readonly id: CauseId;
  /** Follows "the signature matches": `the body without its last line end`. */
  readonly description: string;
  /** A sentence that says more than the description. */
  readonly evidence?: string | undefined;
}

export interface Variant<T> {
  readonly value: T;
  readonly faults: readonly UndoneFault[];
}

/** The variants of one input by their number of faults. */
export interface Variants<T> {
  readonly none: readonly Variant<T>[];
  readonly one: readonly Variant<T>[];
}

export const withoutFaults = <T>(value: T): Variant<T> => ({ value, faults: [] });

export const withFault = <T>(value: T, id: CauseId, description: string, evidence?: string): Variant<T> => ({
  value,
  faults: [{ id, description, evidence }],
});

export function memoize<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
