import type { CauseId } from "./causes.ts";

/** A fault to undo before the signature can match. */
export interface UndoneFault {
  readonly id: CauseId;
  /** Follows "the signature matches": `the body without its last line end`. */
  readonly description: string;
  /** How rare the fault is: the search tries cheap ones first. */
  readonly cost: number;
  /** A sentence that says more than the description. */
  readonly evidence?: string | undefined;
}

export interface Variant<T> {
  readonly value: T;
  readonly faults: readonly UndoneFault[];
  /** The sum of the costs of its faults. */
  readonly cost: number;
}

/** The variants of one input by their number of faults; each list is made when it is first needed. */
export type VariantsByFaultCount<T> = readonly [
  none: () => readonly Variant<T>[],
  one: () => readonly Variant<T>[],
  two: () => readonly Variant<T>[],
];

export const createVariant = <T>(value: T, faults: readonly UndoneFault[]): Variant<T> => ({
  value,
  faults,
  cost: faults.reduce((sum, { cost }) => sum + cost, 0),
});

export const withoutFaults = <T>(value: T): Variant<T> => createVariant<T>(value, []);

export const withFault = <T>(
  value: T,
  id: CauseId,
  cost: number,
  description: string,
  evidence?: string,
): Variant<T> => createVariant(value, [{ id, cost, description, evidence }]);

export function memoize<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
