import type { Arbitrary } from "fast-check";

/** What one check did. */
export interface Outcome {
  /** Requests, files, documents or texts of the input. */
  readonly inputs: number;
  readonly responses?: number;
  /** Responses with 2xx. */
  readonly accepted?: number;
}

/** What the inputs of a target share, such as a running sandbox. */
export interface Session<Input> {
  /** Throws if an invariant is broken. */
  check(input: Input): Promise<Outcome>;
  close(): Promise<void>;
}

/** A surface that takes input of others. */
export interface Target<Input = unknown> {
  readonly name: string;
  /** Inputs are JSON values, so that a corpus file can hold one. */
  readonly arbitrary: Arbitrary<Input>;
  /**
   * @param onError gets the errors that no response shows: those of the sandbox's own log
   * @param greaseSeed chooses the variants of a service whose assumed behaviour varies; null for one as it is
   */
  open(onError: (error: unknown) => void, greaseSeed: number | null): Promise<Session<Input>>;
}

/** Lets a list hold targets with inputs of different types. */
export const defineTarget = <Input>(target: Target<Input>): Target => target as Target;

/** Fails a check. */
export function requireThat(condition: boolean, describe: () => string): asserts condition {
  if (!condition) throw new Error(describe());
}
