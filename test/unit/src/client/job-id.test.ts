import { describe, expect, it } from "vitest";
import { findJobId } from "../../../../src/client/job-id.ts";

describe("findJobId", () => {
  it.each([
    [{ jobId: "a", id: "b" }, undefined, "a"],
    [{ job_id: "a", id: "b" }, undefined, "a"],
    [{ id: "b", job: { id: "c" } }, undefined, "b"],
    [{ job: { id: "c" } }, "/v1/diligence/status/d", "c"],
    [{ id: 17 }, undefined, "17"],
    [{ reference: "x" }, "https://host/v1/diligence/status/d%20e?x=1", "d e"],
    [null, "/v1/diligence/status/d/", "d"],
    [null, "/x/%zz", "%zz"],
    [{ reference: "x" }, undefined, null],
    ["a string", undefined, null],
    [{ jobId: "" }, undefined, null],
  ])("returns the id of %j with Location %s: %s", (body, location, id) => {
    expect(findJobId(body, location)).toBe(id);
  });

  it("reads only the given field path if there is one", () => {
    expect(findJobId({ id: "wrong", data: { ref: "right" } }, "/x/wrong", "data.ref")).toBe("right");
    expect(findJobId({ id: "wrong" }, "/x/wrong", "data.ref")).toBeNull();
  });
});
