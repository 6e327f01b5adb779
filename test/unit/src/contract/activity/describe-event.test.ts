import { expect, it } from "vitest";
import { formatActivityLine } from "../../../../../src/contract/activity/activity-line.ts";
import {
  describeAttempt,
  describeEvent,
  describeRequest,
} from "../../../../../src/contract/activity/describe-event.ts";

const request = {
  number: 12,
  at: "2026-11-20T00:00:00.000Z",
  method: "POST",
  target: "/v1/clients",
  status: 201,
  durationMs: 3.14,
  caller: { partner: 1, environment: "sandbox" },
  outcome: "answered",
  problem: null,
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

it("describeRequest shows why the service refused a request, on one line, and cuts a long reason", () => {
  const refuse = (detail: string, fault: string | null = null) =>
    describeRequest({ ...request, status: 422, fault, problem: { code: "x", detail, errors: [] } }).notes;
  expect(refuse("name:\n is missing. ")).toEqual(["partner 1, sandbox", "name: is missing."]);
  expect(refuse("x".repeat(10_000))[1]).toBe(`${"x".repeat(299)}…`);
  expect(refuse("name: is missing.", "rule 1")).toEqual(["partner 1, sandbox", "fault: rule 1"]);
});

it("describeRequest shows a dash for a request without a response", () => {
  const line = describeRequest({ ...request, outcome: "aborted", status: null, durationMs: null });
  expect(line.tone).toBe("failure");
  expect(formatActivityLine(line)).toBe("–    POST /v1/clients  #12  partner 1, sandbox; aborted");
});

it("describeAttempt says why there was no response, and that no attempt follows", () => {
  const error = { code: "connection_refused", detail: "nothing listens at 127.0.0.1:9000" } as const;
  const { result, notes } = describeAttempt({
    ...attempt,
    responseStatus: null,
    error,
    status: "failed",
    nextAttemptAt: null,
  });
  expect({ result, notes }).toEqual({ result: "–", notes: [error.detail, "no further attempt: failed"] });
});

it("a partial job is no success, as the filter of failures has it", () => {
  const job = { event: "job", at: request.at, jobId: "j", runCount: 1, failure: null } as const;
  const toneOf = (state: "completed" | "partial" | "failed") => describeEvent({ ...job, state }).tone;
  expect([toneOf("completed"), toneOf("partial"), toneOf("failed")]).toEqual([
    "success",
    "refusal",
    "failure",
  ]);
});
