import { describe, it } from "vitest";

/** Like `it.each` for a costly table: `npm test` runs its first case, and `.ci/run` runs all of them. */
export const itEachFirst =
  <const Case extends readonly unknown[]>(cases: readonly Case[]) =>
  (title: string, run: (...values: [...Case]) => void | Promise<void>): void => {
    it.for(cases.slice(0, 1))(title, (values) => run(...values));
    it.for(cases.slice(1))(title, { tags: "large" }, (values) => run(...values));
  };

/** Like `describe.each`, with the same choice as {@link itEachFirst}. */
export const describeEachFirst =
  <const Case extends readonly unknown[]>(cases: readonly Case[]) =>
  (title: string, define: (...values: [...Case]) => void): void => {
    describe.for(cases.slice(0, 1))(title, (values) => define(...values));
    describe.for(cases.slice(1))(title, { tags: "large" }, (values) => define(...values));
  };
