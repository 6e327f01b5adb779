import { describe, expect, it } from "vitest";
import { createLearner } from "../../../../../src/contract/observed/learner.ts";
import { mergeServices } from "../../../../../src/contract/observed/merge.ts";
import type { ObservedService } from "../../../../../src/contract/observed/observed-service.ts";
import { describeStaleness, listChanges } from "../../../../../src/contract/observed/staleness.ts";
import { getContract } from "../../../../../src/contract/openapi.ts";

const AT = Date.parse("2026-11-20T00:00:00Z");
const ID = "7d9c9f57-1111-4222-8333-444455556666";
const { hash: HASH } = getContract();

function learn(...responses: readonly (readonly [request: string, status: number, body: unknown])[]) {
  const learner = createLearner();
  for (const [request, status, body] of responses) {
    const [method = "", path = ""] = request.split(" ");
    const headers = [["content-type", "application/json"]] as const;
    learner.add({ method, path, status, headers, body: JSON.stringify(body), at: AT });
  }
  return learner.finish(HASH);
}

const ENDPOINT = {
  ...{ id: ID, label: "one", url: "https://partner.example", subscribedEvents: ["partner.test"] },
  ...{ environmentScope: "all", secretPrefix: "whsec_0123", status: "active" },
};

describe("findings about a service", () => {
  it("are where it contradicts a documented line, with the statement of the interface", () => {
    const { secretPrefix, ...withoutPrefix } = ENDPOINT;
    const { findings } = learn(
      [
        "GET /v1/webhooks/endpoints",
        200,
        { data: [{ ...withoutPrefix, status: "paused" }], nextCursor: null },
      ],
      ["POST /v1/diligence/submit", 200, { jobId: "job_17" }],
      ["GET /v1/clients", 404, {}],
      ["GET /v1/diligence/report/x", 404, {}],
    );
    const lines = findings?.map(({ operation, subject, seen }) => `${operation} ${subject}: ${seen.join()}`);
    expect(new Set(lines)).toEqual(
      new Set([
        "webhooks.endpoints data[].secretPrefix: absent",
        "webhooks.endpoints data[].status: status: text (paused)",
        "diligence.submit the status is 202: 200",
        "diligence.status jobId: a job id: text",
        "diligence.report jobId: a job id: text",
        "diligence.dataset jobId: a job id: text",
        "diligence.resume jobId: a job id: text",
        "clients.list /v1/clients: status 404",
      ]),
    );
    expect(findings?.find(({ operation }) => operation === "diligence.submit")?.statement).toMatch(/^§.*202/);
  });

  it("are none for a service as the interface documents it, whatever is assumed", () => {
    const { findings, assumptions } = learn(
      ["GET /v1/webhooks/endpoints", 200, { endpoints: [ENDPOINT, { ...ENDPOINT, status: "revoked" }] }],
      ["POST /v1/diligence/submit", 202, { job_id: ID }],
      [`GET /v1/diligence/status/${ID}`, 200, { jobId: ID, state: "in_review" }],
    );
    expect(findings).toEqual([]);
    expect(
      assumptions.find(({ operation, subject }) => operation === "diligence.status" && subject === "state"),
    ).toMatchObject({
      status: "differs",
      seen: ["state: text (in_review)"],
    });
  });
});

describe("a file that was made with another contract", () => {
  const current = learn(["GET /v1/clients", 200, { items: [] }]);
  const [first, second, ...others] = current.assumptions;
  const stale: ObservedService = {
    ...current,
    contractHash: "0".repeat(64),
    assumptions: [
      ...others,
      { ...(second as (typeof others)[number]), status: "confirmed" },
      { operation: "clients.list", kind: "field", subject: "total", status: "differs", seen: ["count"] },
    ],
    fields: [
      ...current.fields,
      {
        ...{ place: "clients.list", field: "total", name: "count", forms: ["integer"], words: [], count: 1 },
        ...{ operation: "clients.list", status: 200, lastAt: current.lastAt, requestId: null },
      },
    ],
  };

  it("lists what changed", () => {
    expect(listChanges(current, HASH)).toBeNull();
    expect(describeStaleness(current, HASH, "service.json")).toEqual([]);
    const lines = describeStaleness(stale, HASH, "service.json");
    expect(lines).toEqual([
      expect.stringMatching(
        /^warning: service\.json .* 1 assumption is new, 1 is gone, 1 has another status$/,
      ),
      `confirmed, now ${second?.status}: ${second?.operation} ${second?.subject}`,
      "gone: clients.list total",
      `new: ${first?.operation} ${first?.subject}`,
    ]);
  });

  it("loses what the contract no longer has when more is learned", () => {
    const merged = mergeServices(stale, current);
    expect(merged.contractHash).toBe(HASH);
    expect(merged.fields.map(({ field }) => field)).not.toContain("total");
    expect(merged.responses).toMatchObject([{ operation: "clients.list", count: 2 }]);
    expect(listChanges(merged, HASH)).toBeNull();
  });
});
