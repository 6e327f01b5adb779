import { describe, expect, it } from "vitest";
import { findJobId, listJobIdCandidates } from "../../../../src/client/job-id.ts";
import { readLastSegment } from "../../../../src/domain/links.ts";

const UUID = "7d9c0000-1111-4222-8333-444455556666";

describe("findJobId", () => {
  it.each([
    [{ jobId: "a", id: "b" }, undefined, "a"],
    [{ job_id: "a", id: "b" }, undefined, "a"],
    [{ id: "b", job: { id: "c" } }, undefined, "b"],
    [{ job: { id: "c" } }, "/jobs/c", "c"],
    [{ job: { id: "c" } }, "/v1/diligence/status/d", null],
    [{ id: UUID, data: { jobId: UUID.toUpperCase() } }, undefined, UUID],
    [{ id: "event", data: { jobId: "a" } }, undefined, null],
    [{ id: 17, result: { job_id: 18 } }, undefined, null],
    [{ data: { jobId: "a" } }, undefined, null],
    [{ id: 17 }, undefined, "17"],
    [{ reference: "x" }, "https://host/v1/diligence/status/d%20e?x=1", "d e"],
    [null, "/v1/diligence/status/d/", "d"],
    [null, "https://host/prefix/api/diligence/status/DJ-17", "DJ-17"],
    [null, `/queue/items/${UUID}`, UUID],
    [null, "/login", null],
    [null, "/v1/diligence/report/d", null],
    [null, "/login?next=/v1/diligence/status/d", null],
    [null, "/v1/diligence/status/", null],
    [{ reference: "x" }, undefined, null],
    ["a string", undefined, null],
    [{ jobId: "" }, undefined, null],
    [{ id: null }, undefined, null],
    [{ id: { $oid: "65f0c0ffee65f0c0ffee65f0" } }, undefined, null],
  ])("returns the id of %j with Location %s: %s", (body, location, id) => {
    expect(findJobId(body, location)).toBe(id);
  });

  it("reads only the given field path if there is one", () => {
    expect(findJobId({ id: "wrong", data: { ref: "right" } }, "/x/wrong", "data.ref")).toBe("right");
    expect(findJobId({ id: "wrong" }, "/x/wrong", "data.ref")).toBeNull();
  });
});

it.each([
  ["/v1/clients/c%20e?x=1", "c e"],
  ["/x/%zz", "%zz"],
  ["/", null],
  [undefined, null],
])("readLastSegment returns the id of %j: %s", (location, id) => expect(readLastSegment(location)).toBe(id));

describe("listJobIdCandidates", () => {
  it("lists each UUID once, with its path, unless its name is that of another id", () => {
    const others = { requestId: UUID, trace: { id: UUID }, partner_ref: UUID, apiKey: UUID };
    const body = { ...others, note: `job ${UUID}`, data: [{ ref: UUID }, { ref: UUID.toUpperCase() }] };
    expect(listJobIdCandidates(body)).toEqual([{ path: "data.1.ref", id: UUID.toUpperCase() }]);
    expect(listJobIdCandidates(others)).toEqual([]);
  });

  it("lists none in JSON that is nested too deep", () => {
    expect(listJobIdCandidates(JSON.parse(`${"[".repeat(20_000)}"${UUID}"${"]".repeat(20_000)}`))).toEqual(
      [],
    );
  });
});
