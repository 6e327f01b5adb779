import { describe, expect, it } from "vitest";
import { findItems, learnItemId } from "../../../../../../../src/cli/commands/mapping/learn/items.ts";
import { learnMeanings } from "../../../../../../../src/cli/commands/mapping/learn/job.ts";
import { findSubmittedIds } from "../../../../../../../src/cli/commands/mapping/learn/submissions.ts";
import { findStateCandidates, proveState } from "../../../../../../../src/client/job-state.ts";

const rowsOf = (document: unknown) => findItems(document)[0]?.rows ?? [];
const learn = (document: unknown, naming: unknown = [], references: readonly string[] = []) =>
  learnItemId(rowsOf(document), rowsOf(naming), new Set(references)).proved;

it.each([
  ["a bare list", [{ a: 1 }], [""]],
  ["a list in an envelope", { data: { list: [{ a: 1 }] }, page: { n: 1 } }, ["data.list"]],
  ["two lists", { data: [{ a: 1 }], included: [{ b: 1 }] }, ["data", "included"]],
  ["an object by id", { all: { x1: { no: "x1" }, x2: { no: "x2" } } }, ["all{}"]],
  ["no list of links", { data: [{ a: 1 }], _links: { self: { href: "/" }, next: { href: "/" } } }, ["data"]],
  ["no sums beside an empty list", { data: [], sums: { a: { v: 1, u: 1 }, b: { v: 2, u: 1 } } }, []],
])("findItems finds %s", (_, document, paths) => {
  expect(findItems(document).map(({ line }) => line)).toEqual(paths);
});

describe("learnItemId", () => {
  const items = [
    { no: "c-1", tax: "55-1" },
    { no: "c-2", tax: "55-2" },
  ];

  const words = ["amber", "birch"].map((slug, at) => ({ slug, entries: 1203 + 3 * at }));
  const amounts = items.map(({ no }, at) => ({ no, duty: 12 + at }));

  it.each([
    ["the contract's id needs no line", [{ id: "1" }, { id: "2" }], [], "id"],
    ["two values that look like ids are a question", items, [], undefined],
    ["the one that another list names is proved", items, [{ client: "c-1" }, { client: "c-1" }], "no"],
    ["a number may be of anything", [{ entries: 1203 }, { entries: 1206 }], [], undefined],
    ["a word without digits may be a name", words, [], undefined],
    ["a word without digits that another list names is proved", words, [{ client: "birch" }], "slug"],
    ["a single row proves nothing", items.slice(0, 1), [], undefined],
    ["an amount is no id", amounts, [], "no"],
    ["the key of an object by id is proved", { a1: { no: "a1" }, a2: { no: "a2" } }, [], "no"],
    [
      "a key that another list contradicts is a question",
      { a1: { no: "a1", ref: "r-11" }, a2: { no: "a2", ref: "r-12" } },
      [{ claim: "r-11" }],
      undefined,
    ],
  ])("%s", (_, document, naming, proved) => {
    expect(learn(document, naming)).toBe(proved);
  });

  it("leaves out the values of another list's id", () => {
    const claims = ["c-11", "c-12"];
    const rows = claims.map((claim, at) => ({ no: `v-1${at}`, claim }));
    expect(learn(rows, [], claims)).toBe("no");
  });
});

describe("the state of a job", () => {
  const job = (isClean: boolean, ...words: readonly [string, string][]) => ({
    isClean,
    documents: words.map(([state, step]) => ({ state, step, no: "77", at: "2026-11-29T00:00:00Z" })),
  });
  const clean = job(true, ["new", "a"], ["busy", "a"], ["finished", "a"]);
  const find = (...jobs: Parameters<typeof findStateCandidates>[0]) =>
    proveState(findStateCandidates(jobs))?.path;

  it("is the only place that changed, or the one of several that held a documented word", () => {
    expect(find(clean)).toBe("state");
    expect(find(job(true, ["new", "a"], ["busy", "b"]))).toBeUndefined();
    expect(find(job(false, ["new", "a"], ["partial", "b"]))).toBe("state");
    expect(proveState(findStateCandidates([clean, job(false, ["a", "x"])]), ["finished"])?.path).toBe(
      "state",
    );
  });

  it("has words: completed is proved by a clean file alone", () => {
    const learned = (isClean: boolean, words: readonly string[]) => ({ isClean, words });
    const words = ["new", "busy", "finished"];
    const clean = learned(true, words);
    expect(learnMeanings([clean])).toEqual({
      meanings: { new: "queued", busy: "processing", finished: "completed" },
      open: [],
    });
    const dirty = learned(false, words);
    expect(learnMeanings([dirty]).open).toEqual(["finished"]);
    expect(learnMeanings([clean, dirty]).open).toEqual(["finished"]);
    expect(learnMeanings([clean, learned(true, ["new", "half"])]).open).toEqual(["finished", "half"]);
    expect(learnMeanings([clean, learned(false, ["new", "partial"])]).open).toEqual([]);
    expect(learnMeanings([learned(true, ["new", "busy", "INCOMPLETE"])]).open).toEqual(["INCOMPLETE"]);
  });
});

describe("findSubmittedIds", () => {
  const response = {
    headers: { location: "/v1/diligence/status/j-9?x=1" },
    json: { at: "2026-11-29", fee: "1.50", accessToken: "t-123456", batch: "b-000001", job: { no: "J-9" } },
  };

  it("takes what could be an id, whatever its name, the body before Location, and nothing secret", () => {
    expect(findSubmittedIds(response)).toEqual([
      { locator: "batch", id: "b-000001" },
      { locator: "job.no", id: "J-9" },
    ]);
    expect(findSubmittedIds({ ...response, json: undefined })).toEqual([
      { locator: "header:Location", id: "j-9" },
    ]);
  });
});
