/** Whether tests try every case (`CLAIMS_TEST_EXHAUSTIVE=1`, in .ci/long) instead of a sample. */
export const IS_EXHAUSTIVE = process.env.CLAIMS_TEST_EXHAUSTIVE === "1";

/** One of the cases for a subject with this index, so that many subjects meet all cases; every case in exhaustive tests. */
export const sampleFor = <Case>(index: number, cases: readonly Case[]): readonly Case[] =>
  IS_EXHAUSTIVE ? cases : cases.slice(index % cases.length, (index % cases.length) + 1);

/** From the commit, in .ci/run: each run tries another part of what takes minutes. */
const TURN = Number(process.env.CLAIMS_TEST_TURN ?? 0);

/** Whether the case with this index is in the part of this run. */
export const isInTurn = (index: number, parts: number): boolean =>
  IS_EXHAUSTIVE || index % parts === TURN % parts;
