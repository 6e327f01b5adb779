import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CaseId, getCase, listCaseIds } from "../../../../../src/domain/webhooks/probe/cases.ts";
import { DIAGNOSES, type DiagnosisId, diagnose } from "../../../../../src/domain/webhooks/probe/diagnoses.ts";
import { findRemarks } from "../../../../../src/domain/webhooks/probe/remarks.ts";
import {
  classifyResponse,
  meetsExpectation,
  type ProbeOutcome,
  type ProbeResponse,
  type ProbeResponses,
} from "../../../../../src/domain/webhooks/probe/responses.ts";
import { verify } from "../../../../../src/signature.ts";

const ALL = listCaseIds();
const RULES = ALL.filter((id) => getCase(id).basis === "documented");
const OUTCOMES: readonly ProbeOutcome[] = [
  "accepted",
  "failure_in_body",
  "rejected",
  "not_found",
  "rate_limited",
  "redirected",
  "server_error",
  "no_response",
];

const responsesOf = (
  outcomes: Iterable<readonly [CaseId, ProbeOutcome]>,
  details: Partial<ProbeResponse> = {},
): ProbeResponses => {
  const common = {
    status: null,
    error: null,
    firstStatus: null,
    durationMs: 1,
    text: "",
    reveals: [],
    clockOffset: null,
  };
  return new Map([...outcomes].map(([id, outcome]) => [id, { outcome, ...common, ...details }]));
};

/** Responds like a receiver that follows every rule and all advice. */
const respondCorrectly = (id: CaseId): ProbeOutcome =>
  getCase(id).expects === "accept" ? "accepted" : "rejected";

const acceptOnly =
  (...accepted: readonly string[]) =>
  (id: CaseId): ProbeOutcome =>
    accepted.some((word) => id === word || id.startsWith(`${word}.`)) ? "accepted" : "rejected";

/** Receivers of every kind. */
const KINDS: readonly ((id: CaseId) => ProbeOutcome)[] = [
  respondCorrectly,
  acceptOnly("raw.compact"),
  acceptOnly("raw", "forged.other_timestamp"),
  acceptOnly("raw"),
  ...[
    ["raw.trailing_newline"],
    ["raw.crlf"],
    ["raw.split_character"],
    ["raw.non_ascii", "raw.split_character"],
  ].map((changed) => (id: CaseId) => (changed.includes(id) ? "rejected" : respondCorrectly(id))),
  ...OUTCOMES.map((outcome) => () => outcome),
  acceptOnly("raw", "forged"),
  acceptOnly("raw.compact", "raw.non_ascii", "raw.split_character", "timestamp.exact"),
  acceptOnly("raw.spaced"),
  acceptOnly("raw.indented"),
  acceptOnly("forged.body_only"),
  acceptOnly("forged.no_dot"),
  acceptOnly("forged.empty_key"),
  acceptOnly("raw", "forged.empty_key"),
  acceptOnly("raw", "forged.truncated", "forged.beginning"),
  acceptOnly("raw", "header", "forged.body_only"),
  (id) => (id.startsWith("raw") ? "server_error" : "rejected"),
];

/** The responses of such a receiver, with some changed and some missing. */
const responses = fc
  .tuple(
    fc.constantFrom(...KINDS),
    fc.dictionary(fc.constantFrom<string>(...ALL), fc.constantFrom(...OUTCOMES), { maxKeys: 4 }),
    fc.oneof({ weight: 3, arbitrary: fc.constant<CaseId[]>([]) }, fc.subarray([...ALL], { maxLength: 5 })),
  )
  .map(
    ([kind, changes, missing]): ProbeResponses =>
      new Map(
        ALL.filter((id) => !missing.includes(id)).flatMap((id) => {
          // A changed response is sometimes one to a delivery that was sent again.
          const firstStatus = changes[id] ? ([null, 503, 401][missing.length] ?? null) : null;
          return [...responsesOf([[id, changes[id] ?? kind(id)]], { firstStatus })];
        }),
      ),
  );

/** Decides for each diagnosis whether single responses contradict it. */
const CONTRADICTIONS: Readonly<
  Record<string, (accepted: (id: CaseId) => boolean, all: ProbeResponses) => boolean>
> = {
  "receiver.accepts_everything": (accepted) => !RULES.every(accepted),
  "receiver.does_not_verify": (accepted) => !accepted("forged.wrong_secret") || RULES.every(accepted),
  "receiver.compares_a_part": (accepted) =>
    accepted("forged.wrong_secret") ||
    accepted("forged.byte_changed") ||
    !(accepted("forged.truncated") || accepted("forged.beginning")),
  "receiver.accepts_missing_headers": (accepted) =>
    accepted("forged.wrong_secret") || !listCaseIds("header").some(accepted),
  "receiver.empty_secret": (accepted) => accepted("forged.wrong_secret") || !accepted("forged.empty_key"),
  "receiver.signs_another_text": (accepted) =>
    accepted("forged.wrong_secret") || !(accepted("forged.body_only") || accepted("forged.no_dot")),
  "receiver.reserializes": (accepted) =>
    ["raw.compact", "raw.spaced", "raw.indented"].filter((id) => accepted(id as CaseId)).length !== 1 ||
    accepted("raw.trailing_newline") ||
    accepted("raw.crlf"),
  "receiver.signs_own_clock": (accepted) =>
    accepted("timestamp.exact") || accepted("forged.wrong_secret") || !accepted("raw.compact"),
  "receiver.answers_differ": (_, all) =>
    ![...all.values()].some(({ firstStatus, outcome }) => firstStatus === 401 && outcome === "accepted"),
  "receiver.rejects_in_body": (_, all) =>
    !RULES.some((id) => id.startsWith("forged.") && all.get(id)?.outcome === "failure_in_body"),
  "receiver.breaks_sometimes": (_, all) =>
    ![...all.values()].some(({ firstStatus, outcome }) => firstStatus !== null && outcome !== "server_error"),
  "receiver.changes_the_body": (accepted) =>
    !accepted("raw.compact") ||
    (["raw.trailing_newline", "raw.crlf", "raw.non_ascii"] as const).every((id) => accepted(id)),
  "receiver.splits_characters": (accepted) => accepted("raw.split_character") || !accepted("raw.non_ascii"),
  "receiver.refuses_everything": (accepted) => RULES.some(accepted),
  "receiver.breaks": (_, all) => all.get("raw.compact")?.outcome !== "server_error",
  "receiver.redirects": (_, all) => RULES.some((id) => all.get(id)?.outcome !== "redirected"),
  "receiver.absent": (_, all) => RULES.some((id) => all.get(id)?.outcome !== "not_found"),
};

describe("diagnose", () => {
  it("never contradicts a response, and cites responses as evidence", () => {
    const diagnosed = new Set<string>();
    fc.assert(
      fc.property(responses, (all) => {
        const accepted = (id: CaseId) => all.get(id)?.outcome === "accepted";
        const { diagnoses, unexplained } = diagnose(all);
        for (const { id, evidence } of diagnoses) {
          diagnosed.add(id);
          expect(CONTRADICTIONS[id as DiagnosisId]?.(accepted, all), id).toBe(false);
          expect(evidence.length).toBeGreaterThan(0);
          for (const each of evidence) expect(all.get(each.case as CaseId)?.outcome).toBe(each.outcome);
        }
        for (const id of unexplained) {
          expect(meetsExpectation(id, all)).toBe(false);
        }
      }),
      { numRuns: 3000 },
    );
    // It needs the text of a response.
    const known = Object.keys(DIAGNOSES).filter((id) => id !== "receiver.gets_no_headers");
    expect([...diagnosed].sort()).toEqual(known.sort());
  });

  it("derives no cause from 500 to 599", () => {
    fc.assert(
      fc.property(responses, fc.subarray([...ALL], { maxLength: 6 }), (all, broken) => {
        const idsOf = (some: ProbeResponses) => diagnose(some).diagnoses.map(({ id }) => id);
        const without = new Map([...all].filter(([id]) => !broken.includes(id)));
        const errors = responsesOf(broken.map((id) => [id, "server_error"]));
        const known: string[] = [
          ...idsOf(without),
          "receiver.does_not_verify",
          "receiver.refuses_everything",
        ];
        const added = idsOf(new Map([...without, ...errors])).filter((id) => !known.includes(id));
        expect(added.filter((id) => !id.startsWith("receiver.breaks"))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("leaves a rule open only if the receiver breaks sometimes", () => {
    const broken = responsesOf([["raw.crlf", "server_error"]], { firstStatus: 503 });
    const mixed = responsesOf([["raw.compact", "accepted"]], { firstStatus: 503 });
    expect(meetsExpectation("raw.crlf", broken)).toBe(false);
    expect(meetsExpectation("raw.crlf", new Map([...broken, ...mixed]))).toBeNull();
    expect(diagnose(new Map([...broken, ...mixed]))).toMatchObject({
      diagnoses: [{ id: "receiver.breaks_sometimes", evidence: [{ case: "raw.compact" }] }],
      unexplained: [],
    });
  });

  it("finds nothing for a correct receiver, and explains or lists every failed rule", () => {
    expect(diagnose(responsesOf(ALL.map((id) => [id, respondCorrectly(id)])))).toEqual({
      diagnoses: [],
      unexplained: [],
    });
    for (const id of RULES) {
      const wrong = respondCorrectly(id) === "accepted" ? "rejected" : "accepted";
      const { diagnoses, unexplained } = diagnose(
        responsesOf(ALL.map((each) => [each, each === id ? wrong : respondCorrectly(each)])),
      );
      const explained = diagnoses.flatMap(({ evidence }) => evidence.map((each) => each.case));
      expect([...explained, ...unexplained], id).toContain(id);
    }
  });
});

describe("probe cases", () => {
  const genuine = {
    secret: "whsec_made-up-for-this",
    event: "partner.test",
    id: "1",
    now: 1_795_132_800_500,
  };

  it.each(ALL)("%s has a valid signature exactly when its expectation needs one", (id) => {
    const { expects, make } = getCase(id);
    const made = make({ ...genuine, secondSecret: genuine.secret });
    const isSigned = expects === "accept" || /^advice\.(old|future|event)/.test(id);
    for (const { headers, body } of made) {
      const { verdict } = verify({ secrets: [genuine.secret], headers, body });
      expect(verdict === "valid").toBe(isSigned);
      if (id !== "forged.byte_changed")
        expect(JSON.parse(body)).toMatchObject({
          id: expect.stringMatching(/^1/),
          environment: "sandbox",
        });
    }
  });

  it("of raw bodies all differ, and only those of plain characters survive a JSON round trip", () => {
    const bodies = listCaseIds("raw").map((id) => getCase(id).make(genuine)[0]?.body ?? "");
    expect(new Set(bodies).size).toBe(bodies.length);
    const survives = bodies.map((body) => body === JSON.stringify(JSON.parse(body)));
    expect(listCaseIds("raw").filter((_, index) => survives[index])).toEqual([
      "raw.compact",
      "raw.non_ascii",
      "raw.split_character",
    ]);
  });

  it("in two parts are split inside a character", () => {
    const [delivery] = getCase("raw.split_character").make(genuine);
    const bytes = Buffer.from(delivery?.body ?? "");
    expect(bytes.subarray(0, delivery?.splitAt).toString("latin1").slice(-2)).toBe("o\u00c3");
  });
});

describe("findRemarks", () => {
  it("reports slow responses, redirects, rejections with 500 and missing responses", () => {
    const listRemarks = (id: CaseId, outcome: ProbeOutcome, durationMs = 1) =>
      findRemarks(responsesOf([[id, outcome]], { durationMs })).map((remark) => remark.id);
    expect(listRemarks("raw.compact", "accepted", 4_999)).toEqual([]);
    expect(listRemarks("raw.compact", "accepted", 5_001)).toEqual(["response.slow"]);
    expect(listRemarks("raw.compact", "redirected", 5_001)).toEqual(["response.redirect"]);
    expect(listRemarks("forged.no_dot", "server_error")).toEqual(["response.server_error"]);
    expect(listRemarks("raw.compact", "server_error")).toEqual([]);
    expect(listRemarks("forged.no_dot", "no_response")).toEqual(["response.none"]);
  });
});

it("classifyResponse reads failures in the body of a 2xx response", () => {
  for (const text of [
    '{"ok":false}',
    '{ "id": 1, "success" : false }',
    '{"status":"error"}',
    '{"error":"bad"}',
  ])
    expect(classifyResponse(200, text), text).toBe("failure_in_body");
  for (const text of [
    "",
    "ok",
    '{"ok":true}',
    '{"error":null}',
    '{"status":"ok"}',
    '["ok",false]',
    '{"error":""}',
  ])
    expect(classifyResponse(200, text), text).toBe("accepted");
  expect(classifyResponse(401, '{"ok":false}')).toBe("rejected");
});

it("classifyResponse returns the outcome of each status", () => {
  const statuses = [200, 204, 299, 301, 307, 400, 401, 404, 405, 410, 429, 500, 503, 599];
  expect(statuses.map((status) => classifyResponse(status)).join(" ")).toBe(
    "accepted accepted accepted redirected redirected rejected rejected not_found not_found rejected rate_limited server_error server_error server_error",
  );
});
