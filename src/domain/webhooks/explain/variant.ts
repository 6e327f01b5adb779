import type { CauseId } from "./causes.ts";

/** One fault that is undone. */
export interface Step {
  readonly id: CauseId;
  /** What undoing it comes to, after "the signature fits": `the body without its last LF`. */
  readonly undone: string;
  /** How rare the fault is: cheap ones are tried first. */
  readonly cost: number;
}

/** A value with the faults that had to be undone to get it. */
export interface Variant<T> {
  readonly value: T;
  readonly steps: readonly Step[];
}

/** The variants of one input, by how many faults they undo: none, one, two. */
export type Depths<T> = readonly [
  asGiven: readonly Variant<T>[],
  one: readonly Variant<T>[],
  two: readonly Variant<T>[],
];

export const asGiven = <T>(value: T): Variant<T> => ({ value, steps: [] });

export const costOf = (steps: readonly Step[]): number => steps.reduce((sum, { cost }) => sum + cost, 0);
