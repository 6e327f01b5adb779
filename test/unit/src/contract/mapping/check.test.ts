import { describe, expect, it } from "vitest";
import { checkMapping, parseMapping } from "../../../../../src/contract/mapping/check.ts";
import { formatPath, toPath, valueAtPath } from "../../../../../src/contract/mapping/path.ts";

const parse = (mapping: unknown) => parseMapping(JSON.stringify(mapping), "m.json");

/** That of the design. */
const EXAMPLE = {
  description: "Acme refund service, sandbox, 2026-11",
  "submitted.id": "answer.ticketNo",
  "job.id": "answer.review.ticketNo",
  "job.state": "answer.review.step",
  "job.words": {
    new: "queued",
    busy: "processing",
    verifying: "processing",
    finished: "completed",
    half: "partial",
    broken: "failed",
  },
  report: "answer.findings",
  clients: "answer.importers",
  "clients.id": "no",
  paging: { next: "answer.more", parameter: "start" },
  "error.code": "problem.key",
  "error.message": "problem.text",
  "error.words": { "400 unknown_ticket": "not_found" },
};

describe("a mapping file", () => {
  it("is read if each line has a key and a value of its kind", () => {
    expect(parse(EXAMPLE)).toEqual(EXAMPLE);
    expect(checkMapping(EXAMPLE)).toEqual([]);
  });

  it.each([
    ["not JSON", "{", "m.json is not JSON"],
    ["not an object", "[]", "m.json is not an object"],
    ["1 MiB", JSON.stringify("x".repeat(1 << 20)), "m.json has 1 MiB or more"],
    [
      "an unknown key",
      '{"clients.nmae":"x"}',
      "clients.nmae: there is no such key; the closest is clients.name",
    ],
    ["the contract's name of a job id", '{"job.jobId":"x"}', "the id of the job is job.id"],
    ["no text for a path", '{"report":7}', "report: expected a path: names with dots between them (got 7)"],
    [
      "a broken path",
      '{"report":"a..b"}',
      'report: expected a path: names with dots between them (got "a..b")',
    ],
    ["a broken path of items", '{"clients":"a{}.b"}', "clients: expected a path"],
    ["a broken path in a paging", '{"paging":{"page":"p","total":"a..b"}}', "paging: expected"],
    ["an unknown state", '{"job.words":{"x":"finished"}}', "job.words: expected an object"],
    ["a paging with an unknown member", '{"paging":{"next":"a","nxt":"b"}}', "paging: expected"],
  ])("is refused with the line that is wrong: %s", (_, text, message) => {
    expect(() => parseMapping(text, "m.json")).toThrow(message);
  });
});

describe("the check of a mapping", () => {
  it.each([
    [{ "job.id": "a", "job.state": "a" }, "job.state", "a is the place of job.id, too"],
    [{ "job.id": "a.b", "job.state": "a" }, "job.state", "a is around the place of job.id"],
    [{ clients: "", paging: { next: "n" } }, "paging", "inside the place of clients"],
    [{ "job.words": { processing: "completed" } }, "job.words", '"processing" means completed'],
    [{ "error.words": { "404": "invalid" } }, "error.words", '"404 job_not_found" means invalid'],
    [{ "error.message": "m", "error.words": { E1: "not_ready" } }, "error.words", "error.code has no line"],
    [{ clients: "a", "clients.id": "{}" }, "clients.id", "write {} after the path of clients"],
    [{ "submitted.body": "none", "submitted.id": "id" }, "submitted.id", "no place in the body"],
    [{ paging: { page: "p", more: "m", total: "t" } }, "paging", "one of them"],
    [
      { "query.claimId": "x", "query.clientId": "y", "query.jobId": "y" },
      "query.jobId",
      "the place of query.clientId",
    ],
  ])("of %j names %s: %s", (mapping, key, message) => {
    expect(checkMapping(mapping)).toContainEqual({ key, message: expect.stringContaining(message) });
  });

  it("allows a word of ours that has a word of its own", () => {
    expect(checkMapping({ "job.words": { processing: "completed", busy: "processing" } })).toEqual([]);
  });
});

describe("a path", () => {
  it.each(["", "a", "a.b", '"a.b".c', "errors[].code", '"".x', '"header:a"'])(
    "is its own text: %s",
    (text) => {
      expect(formatPath(toPath(text))).toBe(text);
    },
  );

  it("takes the first item of a list on its way, with and without the mark", () => {
    for (const text of ["errors[].code", "errors.code"])
      for (const errors of [[{ code: "x" }], { code: "x" }])
        expect(valueAtPath({ errors }, toPath(text))).toBe("x");
  });
});
