import { describe, expect, it } from "vitest";
import { sandboxForTest } from "../../../support/sandbox.ts";
import {
  call,
  type InvalidBody,
  listOtherCredentials,
  post,
  problemOf,
  submitAndSettle,
} from "../../../support/sandbox-requests.ts";

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

  it.each<InvalidBody>([
    ["an empty body", {}, ["/recipient", "/subject", "/message"]],
    ["a recipient that is not a string", { ...NOTIFICATION, recipient: 7 }, ["/recipient"]],
    ["a recipient that is not an email address", { ...NOTIFICATION, recipient: "desk" }, ["/recipient"]],
    [
      "a recipient that is too long",
      { ...NOTIFICATION, recipient: `${"x".repeat(250)}@a.example` },
      ["/recipient"],
    ],
    ["a subject that is not a string", { ...NOTIFICATION, subject: null }, ["/subject"]],
    ["a blank subject", { ...NOTIFICATION, subject: " " }, ["/subject"]],
    ["a subject that is too long", { ...NOTIFICATION, subject: "x".repeat(201) }, ["/subject"]],
    [
      "a subject with a header injection",
      { ...NOTIFICATION, subject: "Ready\r\nBcc: a@b.example" },
      ["/subject"],
    ],
    ["a message with a lone surrogate", { ...NOTIFICATION, message: "\udc00" }, ["/message"]],
    ["a message that is not a string", { ...NOTIFICATION, message: [] }, ["/message"]],
    ["a blank message", { ...NOTIFICATION, message: "\n" }, ["/message"]],
    ["a message that is too long", { ...NOTIFICATION, message: "x".repeat(5_001) }, ["/message"]],
    ["a job that is not a string", { ...NOTIFICATION, diligenceJobId: 7 }, ["/diligenceJobId"]],
    ["a job id that is too long", { ...NOTIFICATION, diligenceJobId: "x".repeat(101) }, ["/diligenceJobId"]],
    ["an unknown field", { ...NOTIFICATION, status: "sent" }, ["/status"]],
  ])("refuses %s and points to the field", async (_, body, at) => {
    const refused = await post(await sandboxForTest(), PATH, body);
    expect(problemOf(refused)).toEqual({ status: 422, code: "validation_failed", at });
  });
});
