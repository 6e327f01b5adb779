import { describe, expect, it } from "vitest";
import { formatActivityLine } from "../../../../../src/domain/activity/activity-line.ts";
import { describeAttempt } from "../../../../../src/domain/activity/describe-attempt.ts";
import { describeRequest, findRefusalReason } from "../../../../../src/domain/activity/describe-request.ts";

const request = {
  number: 12,
  at: "2026-11-20T00:00:00.000Z",
  method: "POST",
  target: "/v1/clients",
  status: 201,
  durationMs: 3.14,
  caller: { partner: 1, environment: "sandbox" },
  responseBody: null,
  outcome: "answered",
  fault: null,
  alias: null,
  idempotentReplay: false,
  varied: [],
} as const;

const attempt = {
  at: "2026-11-20T00:00:00.000Z",
  eventType: "partner.test",
  url: "http://me:pw@127.0.0.1:9000/hook?token=s",
  number: 1,
  trigger: "schedule",
  durationMs: 12,
  responseStatus: 503,
  error: { code: "http_status", detail: "the receiver responded 503" },
  status: "retrying",
  nextAttemptAt: "2026-11-20T00:00:05.000Z",
} as const;

describe("findRefusalReason", () => {
  it.each([
    ["a problem", '{"detail":"name: is missing.","hint":"Give it."}', "name: is missing. Give it."],
    [
      "an OAuth error",
      '{"error":"invalid_client","error_description":"Unknown."}',
      "invalid_client: Unknown.",
    ],
    ["an error object", '{"error":{"code":"x","message":"No."}}', "No."],
    ["a list of errors", '{"errors":[{"message":"No."},{"message":"Never."}]}', "No. Never."],
    ["HTML", "<!doctype html>\n<title>422 No</title>\n<h1>422 No</h1>\n<p>Why</p>", "422 No Why"],
    ["JSON without a reason", "{}", ""],
    ["JSON that is no object", "[1]", "[1]"],
  ])("reads %s", (_, body, reason) => {
    expect(findRefusalReason(body)).toBe(reason);
  });

  it("cuts a long reason", () => {
    expect(findRefusalReason("x".repeat(10_000))).toBe(`${"x".repeat(299)}…`);
  });
});

it("describeRequest shows a dash for a request without a response", () => {
  const line = describeRequest({ ...request, outcome: "aborted", status: null, durationMs: null });
  expect(line.tone).toBe("failure");
  expect(formatActivityLine(line)).toBe("–    POST /v1/clients  #12  partner 1, sandbox; aborted");
});

it("describeAttempt says why there was no response, and that no attempt follows", () => {
  const error = { code: "connection_refused", detail: "nothing listens at 127.0.0.1:9000" };
  const { result, notes } = describeAttempt({
    ...attempt,
    responseStatus: null,
    error,
    status: "failed",
    nextAttemptAt: null,
  });
  expect({ result, notes }).toEqual({ result: "–", notes: [error.detail, "no further attempt: failed"] });
});
