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
const WANTED = {
  recipient: "desk@harborpine.example",
  subject: "Ready",
  message: "The report is there.",
};

describe("POST /v1/notifications", () => {
  it("keeps the request, with or without a job of the caller", async () => {
    const sandbox = await sandboxForTest();
    const diligenceJobId = await submitAndSettle(sandbox);
    const about = await post(sandbox, PATH, { ...WANTED, diligenceJobId });
    expect(about.status).toBe(201);
    expect(about.body).toEqual({
      ...WANTED,
      ...{ id: about.body.id, environment: "sandbox", diligenceJobId, status: "requested" },
      createdAt: "2026-11-20T00:00:00.000Z",
    });
    expect((await post(sandbox, PATH, WANTED)).body.diligenceJobId).toBeNull();
    const state = await call(sandbox, "/_sandbox/state", { token: sandbox.controlToken });
    expect(state.body.notifications).toEqual({ requested: 2 });
  });

  it("is idempotent under its key", async () => {
    const sandbox = await sandboxForTest();
    const headers = { "idempotency-key": "one" };
    const first = await post(sandbox, PATH, WANTED, { headers });
    const again = await post(sandbox, PATH, WANTED, { headers });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
  });

  it("finds only the caller's jobs", async () => {
    const sandbox = await sandboxForTest();
    const diligenceJobId = await submitAndSettle(sandbox);
    for (const [who, token] of listOtherCredentials(sandbox)) {
      const refused = await post(sandbox, PATH, { ...WANTED, diligenceJobId }, { token });
      expect(problemOf(refused), who).toEqual({
        ...{ status: 404, code: "job_not_found", at: ["/diligenceJobId"] },
      });
    }
  });

  it.each<InvalidBody>([
    ["no field", {}, ["/recipient", "/subject", "/message"]],
    ["a recipient that is no text", { ...WANTED, recipient: 7 }, ["/recipient"]],
    ["a recipient that is no address", { ...WANTED, recipient: "desk" }, ["/recipient"]],
    ["a recipient too long", { ...WANTED, recipient: `${"x".repeat(250)}@a.example` }, ["/recipient"]],
    ["a subject that is no text", { ...WANTED, subject: null }, ["/subject"]],
    ["a blank subject", { ...WANTED, subject: " " }, ["/subject"]],
    ["a subject too long", { ...WANTED, subject: "x".repeat(201) }, ["/subject"]],
    [
      "a subject that would forge a header",
      { ...WANTED, subject: "Ready\r\nBcc: a@b.example" },
      ["/subject"],
    ],
    ["half a character", { ...WANTED, message: "\udc00" }, ["/message"]],
    ["a message that is no text", { ...WANTED, message: [] }, ["/message"]],
    ["a blank message", { ...WANTED, message: "\n" }, ["/message"]],
    ["a message too long", { ...WANTED, message: "x".repeat(5_001) }, ["/message"]],
    ["a job that is no text", { ...WANTED, diligenceJobId: 7 }, ["/diligenceJobId"]],
    ["a job id too long", { ...WANTED, diligenceJobId: "x".repeat(101) }, ["/diligenceJobId"]],
    ["an unknown field", { ...WANTED, status: "sent" }, ["/status"]],
  ])("refuses %s and names the field", async (_, body, at) => {
    const refused = await post(await sandboxForTest(), PATH, body);
    expect(problemOf(refused)).toEqual({ status: 422, code: "validation_failed", at });
  });
});
