import { describe, expect, it } from "vitest";
import { sandboxForTest } from "../support/sandbox.ts";
import { call, listOtherCredentials, post, problemOf, submitAndSettle } from "../support/sandbox-requests.ts";

const PATH = "/v1/notifications";
const NOTIFICATION = {
  recipient: "desk@harborpine.example",
  subject: "Ready",
  message: "The report is there.",
};

describe("POST /v1/notifications", () => {
  it("stores the request, with or without a job of the caller", async () => {
    const sandbox = await sandboxForTest();
    const diligenceJobId = await submitAndSettle(sandbox);
    const created = await post(sandbox, PATH, { ...NOTIFICATION, diligenceJobId });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      ...NOTIFICATION,
      ...{ id: created.body.id, environment: "sandbox", diligenceJobId, status: "requested" },
      createdAt: "2026-11-20T00:00:00.000Z",
    });
    expect((await post(sandbox, PATH, NOTIFICATION)).body.diligenceJobId).toBeNull();
    const state = await call(sandbox, "/_sandbox/state", { token: sandbox.controlToken });
    expect(state.body.notifications).toEqual({ requested: 2 });
  });

  it("refuses jobs of other partners and environments", async () => {
    const sandbox = await sandboxForTest();
    const diligenceJobId = await submitAndSettle(sandbox);
    for (const [who, token] of listOtherCredentials(sandbox)) {
      const refused = await post(sandbox, PATH, { ...NOTIFICATION, diligenceJobId }, { token });
      expect(problemOf(refused), who).toEqual({
        ...{ status: 404, code: "job_not_found", at: ["/diligenceJobId"] },
      });
    }
  });
});
