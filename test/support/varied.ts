import { expect, it } from "vitest";
import { GREASE_DIMENSIONS } from "../../src/contract/grease.ts";
import { PROBLEMS, type ProblemCode } from "../../src/contract/problem.ts";

const { CLAIMS_TEST_GREASE_SEED: given = "" } = process.env;

/** The seed with which every sandbox of the suite varies what is only assumed; null where none does. */
export const greaseSeed = given === "" ? null : Number(given);

/** What a sandbox in this process starts with. */
export const greaseOptions = greaseSeed === null ? {} : { grease: GREASE_DIMENSIONS, seed: greaseSeed };

/** What the program is started with, and so every sandbox that it starts. */
export const greaseEnvironment: Readonly<Record<string, string>> =
  greaseSeed === null ? {} : { CLAIMS_SANDBOX_GREASE: "all", CLAIMS_SANDBOX_SEED: String(greaseSeed) };

/**
 * For a test that is about what our sandbox answers where the interface is silent (its names, its words, its order), and not
 * about what the client makes of a service: it has nothing to say of a service of another mind.
 */
export const aboutOurSandbox = it.skipIf(greaseSeed !== null);

/** The code that the program tells for a problem of ours; of a service that tells none, its status. */
export const codeOf = (problem: ProblemCode): string =>
  greaseSeed === null
    ? problem
    : expect.stringMatching(new RegExp(`^(${problem}|http_${PROBLEMS[problem].status})$`));

/** Lines of a list: as our sandbox has them, the newest first; of a service of another mind in no order at all. */
export const inOrder = (text: string): string[] => {
  const lines = text.trimEnd().split("\n");
  return greaseSeed === null ? lines : lines.toSorted();
};
