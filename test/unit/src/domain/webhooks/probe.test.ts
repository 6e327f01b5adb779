import { describe, expect, it } from "vitest";
import { type CaseId, getCase, listCaseIds } from "../../../../../src/domain/webhooks/probe/cases.ts";
import { diagnose } from "../../../../../src/domain/webhooks/probe/diagnoses.ts";
import {
  classifyResponse,
  meetsExpectation,
  type ProbeOutcome,
  type ProbeResponse,
} from "../../../../../src/domain/webhooks/probe/responses.ts";
import { verify } from "../../../../../src/signature.ts";

const responseOf = (outcome: ProbeOutcome, firstStatus: number | null = null): ProbeResponse => ({
  outcome,
  firstStatus,
  status: null,
  error: null,
  durationMs: 1,
  text: "",
  reveals: [],
  clockOffset: null,
});

describe("meetsExpectation", () => {
  it("judges no rule by a 429", () => {
    expect(meetsExpectation("raw.crlf", new Map([["raw.crlf", responseOf("rate_limited")]]))).toBeNull();
  });

  it("leaves a rule open only if the receiver breaks sometimes", () => {
    const broken: [CaseId, ProbeResponse] = ["raw.crlf", responseOf("server_error", 503)];
    const mixed: [CaseId, ProbeResponse] = ["raw.compact", responseOf("accepted", 503)];
    expect(meetsExpectation("raw.crlf", new Map([broken]))).toBe(false);
    expect(meetsExpectation("raw.crlf", new Map([broken, mixed]))).toBeNull();
    expect(diagnose(new Map([broken, mixed]))).toMatchObject([
      { id: "receiver.breaks_sometimes", evidence: [{ case: "raw.compact" }] },
    ]);
  });
});

describe("probe cases", () => {
  const genuine = {
    secret: "whsec_made-up-for-this",
    event: "partner.test",
    id: "1",
    now: 1_795_132_800_500,
  };

  it.each(listCaseIds())("%s has a valid signature exactly when its expectation needs one", (id) => {
    const { expects, make } = getCase(id);
    const isSigned = expects === "accept" || /^advice\.(old|future|event)/.test(id);
    for (const { headers, body } of [make(genuine)].flat()) {
      const { verdict } = verify({ secrets: [genuine.secret], headers, body });
      expect(verdict === "valid").toBe(isSigned);
      if (id !== "forged.byte_changed")
        expect(JSON.parse(body)).toMatchObject({ id: "1", environment: "sandbox" });
    }
  });
});

describe("classifyResponse", () => {
  it.each([
    ['{"ok":false}', "failure_in_body"],
    ['{ "id": 1, "success" : false }', "failure_in_body"],
    ['{"status":"error"}', "failure_in_body"],
    ["", "accepted"],
    ['{"ok":true}', "accepted"],
    ['{"error":null}', "accepted"],
    ['["ok",false]', "accepted"],
  ])("reads the body of a 2xx response: %s", (text, outcome) => {
    expect(classifyResponse(200, text)).toBe(outcome);
  });

  it("returns the outcome of each status", () => {
    const statuses = [200, 299, 301, 400, 404, 405, 410, 429, 500, 599];
    expect(statuses.map((status) => classifyResponse(status)).join(" ")).toBe(
      "accepted accepted redirected rejected not_found not_found rejected rate_limited server_error server_error",
    );
  });
});
