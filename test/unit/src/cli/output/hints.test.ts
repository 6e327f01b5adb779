import { describe, expect, it } from "vitest";
import { describeHint } from "../../../../../src/cli/output/hints.ts";
import { ClaimsError, type ErrorDetails } from "../../../../../src/domain/errors.ts";

const hintOf = (code: string, details: Partial<ErrorDetails>) =>
  describeHint(new ClaimsError("rejected", code, "message", { hint: "hint", ...details }));

describe("describeHint", () => {
  it("names a diligence command only for a request about diligence", () => {
    const hintAfter409 = (request: string) => hintOf("http_409", { status: 409, request });
    expect(hintAfter409("POST /v1/diligence/jobs/7/resume")).toContain("hint; `claims diligence status`");
    expect(hintAfter409("POST /v1/offers")).toBe("hint");
  });

  it.each([
    ["a rejected certificate", "unreachable", { retryable: false }, "--ca-file"],
    ["a refused connection", "unreachable", { retryable: true }, "claims sandbox status"],
    [
      "a redirect",
      "http_308",
      { status: 308, request: "GET /v1/clients", hint: "the base URL is another" },
      "--base-url",
    ],
  ])("names the flag or command that helps after %s", (_, code, details, expected) => {
    expect(hintOf(code, details)).toContain(expected);
  });
});
