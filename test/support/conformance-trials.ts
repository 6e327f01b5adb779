import { describe, expect, it } from "vitest";
import type { Rule, Verdict } from "../../src/conformance/rule.ts";
import type { LoggedRequest, ProgramRun, Trial } from "../../src/conformance/trial.ts";

export const JOB = "3f0c1b6e-6a52-4c8e-9a57-2d9f6f0f1a11";
export const OTHER_JOB = "8d2e4a90-1c3b-4f7d-8e65-7b1c2d3e4f50";

export const BEARER = { place: "authorization", name: "bearer", environment: "sandbox" } as const;

type Headers = Readonly<Record<string, string>>;

export type RequestParts = Omit<
  Partial<LoggedRequest>,
  "requestHeaders" | "responseHeaders" | "responseBody"
> & {
  readonly sent?: Headers;
  readonly received?: Headers;
  /** The text of the request body. */
  readonly body?: string;
  /** Of a multipart form. */
  readonly fields?: readonly (readonly [string, string])[];
  /** The JSON of the response. */
  readonly json?: unknown;
};

const toBody = (text: string, fields: RequestParts["fields"] = undefined) => ({
  size: text.length,
  text,
  base64: null,
  truncated: false,
  fields: fields ?? null,
});

/** A request that was answered with 200; its number is its place in the trial. */
export const called = (parts: RequestParts = {}): RequestParts => parts;

const toRequest = (parts: RequestParts, number: number): LoggedRequest => {
  const { sent: requestHeaders = {}, received = {}, body, fields, json, ...others } = parts;
  return {
    number,
    requestId: `request-${number}`,
    httpVersion: "1.1",
    basis: "documented",
    webhooks: [],
    at: "2026-11-20T00:00:00.000Z",
    arrivalOffsetMs: number * 1_000,
    durationMs: 1,
    method: "GET",
    target: "/v1/clients",
    route: others.target ?? "/v1/clients",
    operation: "clients.list",
    alias: null,
    caller: { partner: 1, environment: "sandbox" },
    credentials: [BEARER],
    requestHeaders: Object.entries(requestHeaders),
    requestBody: body === undefined && fields === undefined ? null : toBody(body ?? "", fields),
    status: 200,
    responseHeaders: Object.entries(received),
    responseBody: json === undefined ? null : toBody(JSON.stringify(json)),
    problem: null,
    outcome: "answered",
    fault: null,
    varied: [],
    idempotentReplay: false,
    ...others,
  };
};

const FORM_TYPE = "multipart/form-data; boundary=b";

/** A request that reads a contract with this hash. */
export const contractOf = (hash: string): RequestParts =>
  called({ operation: "document.openapi", received: { ETag: `"${hash}"` } });

export const submitted = (parts: RequestParts = {}): RequestParts => ({
  method: "POST",
  target: "/v1/diligence/submit",
  operation: "diligence.submit",
  status: 202,
  body: "--b\r\nthe file\r\n--b--",
  fields: [["requires_protest_documentation", "true"]],
  received: { Location: `/v1/diligence/status/${JOB}` },
  ...parts,
  sent: { "Content-Type": FORM_TYPE, ...parts.sent },
});

/** A request about a job. */
export const asked = (
  operation: "status" | "report" | "dataset" | "resume",
  { job = JOB, ...parts }: RequestParts & { readonly job?: string } = {},
): RequestParts => ({
  method: operation === "resume" ? "POST" : "GET",
  target: operation === "resume" ? `/v1/diligence/jobs/${job}/resume` : `/v1/diligence/${operation}/${job}`,
  operation: `diligence.${operation}`,
  status: operation === "resume" ? 202 : 200,
  ...parts,
});

export const polled = (state: string, parts: RequestParts & { readonly job?: string } = {}): RequestParts =>
  asked("status", { json: { jobId: parts.job ?? JOB, state }, ...parts });

export const refused = (
  code: string,
  errors: readonly (readonly [location: string, code: string])[] = [],
  status = 422,
) => ({
  status,
  problem: { code, detail: "", errors: errors.map(([location, code]) => ({ location, code })) },
});

export interface TrialParts extends Partial<Omit<Trial, "requests" | "runs">> {
  readonly requests: readonly RequestParts[];
  /** Each has the requests after those of the one before; `requests` is how many. */
  readonly runs?: readonly (Partial<Omit<ProgramRun, "requests">> & { readonly requests?: number })[];
}

const KILLED = { exitCode: null, endedBy: "scenario" } as const;

export function trialOf({ requests: parts, runs = [KILLED], ...others }: TrialParts): Trial {
  const requests = parts.map((each, index) => toRequest(each, index + 1));
  let sent = 0;
  return {
    scenario: null,
    plain: null,
    ...others,
    requests,
    runs: runs.map(({ requests: count = parts.length, ...run }) => {
      const first = sent;
      sent += count;
      return {
        exitCode: 0,
        endedBy: "itself",
        output: "",
        openJobs: [],
        showsCredential: false,
        ...run,
        requests: requests.slice(first, sent),
      };
    }),
  };
}

/** Trials of a rule by the verdict that they must get, with the evidence of failures. */
export interface RuleCases {
  readonly pass: readonly Trial[];
  /** Null for a rule that cannot fail. */
  readonly fail: readonly (readonly [trial: Trial, evidence: string])[] | null;
  readonly untouched: readonly Trial[];
}

/** Judges the trials of each rule; every rule must have one of each verdict that it can give. */
export function describeRules(rules: readonly Rule[], cases: Readonly<Record<string, RuleCases>>): void {
  it("has cases of each rule", () => {
    expect(Object.keys(cases)).toEqual(rules.map(({ id }) => id));
  });

  describe.each(rules)("$id", ({ id, judge }) => {
    const { pass, fail, untouched } = cases[id] ?? { pass: [], fail: [], untouched: [] };
    const expectVerdict = (trials: readonly Trial[], verdict: Verdict) => {
      expect(trials.length).toBeGreaterThan(0);
      const verdicts = trials.map((trial) => judge(trial));
      expect(verdicts).toMatchObject(trials.map(() => ({ verdict, requests: [] })));
    };

    it("passes", () => expectVerdict(pass, "pass"));

    if (fail)
      it("fails", () => {
        expect(fail.length).toBeGreaterThan(0);
        for (const [trial, evidence] of fail) {
          const judgement = judge(trial);
          expect(judgement).toMatchObject({ verdict: "fail", evidence });
          expect(judgement.requests.length).toBeGreaterThan(0);
        }
      });

    it("is untouched", () => expectVerdict(untouched, "untouched"));
  });
}

/** The end of a program that reads the report where everything works. */
export const PLAIN: NonNullable<Trial["plain"]> = {
  exitCode: 0,
  isSilent: false,
  results: ["diligence.report"],
};

/** A trial of these requests alone. */
export const traffic = (...requests: readonly RequestParts[]): Trial => trialOf({ requests });
