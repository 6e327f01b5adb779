import { describe, expect, it } from "vitest";
import { createNormalizer } from "../../../../src/conformance/report.ts";
import type { LoggedRequest } from "../../../../src/conformance/trial.ts";

const ID = "8a9c6ea1-c73d-4d7a-962c-075b786dc71e";
const OTHER = "3e9aa041-a389-4e1e-ab50-30c0135e1648";

const request = (operation: string, target: string, key?: string) =>
  ({
    operation,
    target,
    requestHeaders: key === undefined ? [] : [["Idempotency-Key", key]],
  }) as unknown as LoggedRequest;

describe("createNormalizer", () => {
  it("names jobs, other ids and keys by their first appearance", () => {
    const requests = [
      request("diligence.submit", "/v1/diligence/submit", "k-77"),
      request("diligence.submit", "/v1/diligence/submit", "k-78"),
      request("scans.get", `/v1/scans/${OTHER}`),
      request("diligence.status", `/v1/diligence/status/${ID}`, "k-77"),
    ];
    const { keyOf, text } = createNormalizer(requests);
    expect(requests.map(keyOf)).toEqual(["key 1", "key 2", null, "key 1"]);
    expect(requests.slice(2).map(({ target }) => text(target))).toEqual([
      "/v1/scans/id 1",
      "/v1/diligence/status/job 1",
    ]);
    expect(text(`job ${ID.toUpperCase()} has k-78`)).toBe("job job 1 has key 2");
  });

  it("removes the address of the sandbox, whose port differs from run to run", () => {
    expect(createNormalizer([]).text("GET http://127.0.0.1:40123/v1/clients")).toBe("GET /v1/clients");
  });
});
