import type { CauseId } from "./causes.ts";

/** One fault that is undone. */
export interface UndoneFault {
  readonly id: CauseId;
  /** What undoing it comes to, after "the signature fits": `the body without its last LF`. */
  readonly description: string;
  /** How rare the fault is: cheap ones are tried first. */
  readonly cost: number;
}

/** A value with the faults that had to be undone to get it. */
export interface Variant<T> {
  readonly value: T;
  readonly faults: readonly UndoneFault[];
}

/** The variants of one input, by how many faults they undo; made when they are first asked for. */
export type VariantsByFaultCount<T> = readonly [
  asGiven: () => readonly Variant<T>[],
  one: () => readonly Variant<T>[],
  two: () => readonly Variant<T>[],
];

export const withoutFaults = <T>(value: T): Variant<T> => ({ value, faults: [] });

export const costOf = ({ faults: steps }: Variant<unknown>): number =>
  steps.reduce((sum, { cost }) => sum + cost, 0);

/** Makes a list once, when it is first asked for. */
export function memoize<T>(make: () => readonly T[]): () => readonly T[] {
  let made: readonly T[] | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
