import { formatCount } from "../../domain/numbers.ts";
import { type CaseId, getCase, listCaseIds } from "../../domain/webhooks/probe/cases.ts";
import { DIAGNOSES, diagnose } from "../../domain/webhooks/probe/diagnoses.ts";
import {
  meetsExpectation,
  type ProbeResponse,
  type ProbeResponses,
} from "../../domain/webhooks/probe/responses.ts";
import type { RuleFacts } from "../assess.ts";
import type { Judgement } from "../rule.ts";
import { type DrillId, getDrill, isDrillId } from "./drills.ts";
import { CONTROL_CASE, type ReceiverPart, type ReceiverTrial } from "./trial.ts";

/** A rule for receivers of webhooks. Its title completes "the receiver …". */
export interface ReceiverRule extends RuleFacts {
  /** What to send; `any` for whatever the other rules send. */
  readonly parts: readonly ReceiverPart[] | "any";
  readonly judge: (trial: ReceiverTrial) => Judgement;
}

/** The rules of the interface about signatures, by their numbers in §6. */
const signatureRule = (number: number, facts: Omit<RuleFacts, "basis">): ReceiverRule => {
  const cases = listCaseIds().filter((id) => getCase(id).source === `interface §6, rule ${number}`);
  return { ...facts, basis: "documented", parts: cases, judge: (trial) => judgeCases(cases, trial) };
};

const drillRule = (drill: DrillId, facts: Omit<RuleFacts, "basis">): ReceiverRule => ({
  ...facts,
  basis: "assumed",
  parts: [drill],
  judge: (trial) => judgeDrill(drill, trial),
});

const REPEATED_EVENTS = ["drill.duplicate", "drill.two_endpoints"] as const;

/** The advice of the probe; a drill repeats an event, and a case that expects nothing proves nothing. */
const ADVICE = listCaseIds("advice").filter(
  (id) => id !== "advice.repeat" && getCase(id).expects !== "either",
);

const ADVISED_STATEMENTS: Readonly<Partial<Record<CaseId, ReceiverRule["statement"]>>> = {
  "advice.event_differs": "event.routing",
  "advice.large_body": "limits",
  "advice.old_20_seconds": "signature.freshness",
  "advice.timestamp_fraction": "signature.timestamp",
  "advice.old_10_minutes": "signature.freshness",
  "advice.old_1_day": "signature.freshness",
};

/** Every rule for receivers, in the order of the report. */
export const RECEIVER_RULES: readonly ReceiverRule[] = [
  signatureRule(1, {
    id: "receiver.base_string",
    statement: "signature.base",
    title: "verifies the timestamp, a full stop and the raw body",
    fix: "sign the exact value of X-Service-Timestamp, a full stop, then the raw body",
  }),
  signatureRule(2, {
    id: "receiver.key",
    statement: "signature.key",
    title: "verifies with the signingSecret of the endpoint",
    fix: "key the HMAC with the whole signingSecret, and refuse to start without it",
  }),
  signatureRule(3, {
    id: "receiver.raw_body",
    statement: "signature.raw",
    title: "verifies the bytes of the body as received",
    fix: "verify the raw bytes before you parse, decode or print them",
  }),
  signatureRule(4, {
    id: "receiver.missing_headers",
    statement: "event.rejected",
    title: "rejects a delivery without timestamp or signature",
    fix: "reject a delivery without one of the headers before anything else",
  }),
  signatureRule(5, {
    id: "receiver.comparison",
    statement: "signature.comparison",
    title: "compares all digits of the signature",
    fix: "compare the lengths, then all 64 digits, with a timing-safe comparison",
  }),
  drillRule("drill.duplicate", {
    id: "receiver.duplicate",
    statement: "retries",
    title: "accepts an event that it has accepted before",
    fix: "respond 2xx to an event that you have processed: a rejected one is sent again until the retries end",
  }),
  drillRule("drill.two_endpoints", {
    id: "receiver.two_endpoints",
    statement: "deliveryFields",
    title: "accepts one event over two endpoints at once",
    fix: "verify with the secrets of all endpoints of the URL, and respond 2xx to an event that is in progress",
  }),
  {
    id: "receiver.processed_once",
    basis: "assumed",
    statement: "retries",
    title: "processes a repeated event once",
    fix: "store the id of the event with a unique key, in the transaction that processes the event",
    parts: REPEATED_EVENTS,
    judge: judgeEffects,
  },
  drillRule("drill.late_retry", {
    id: "receiver.late_retry",
    statement: "retries",
    title: "accepts a retry after three days",
    fix: "check the age of X-Service-Timestamp, which is new in every attempt, and not of a time in the payload",
  }),
  drillRule("drill.out_of_order", {
    id: "receiver.out_of_order",
    statement: "retries",
    title: "accepts events out of order",
    fix: "respond 2xx to an event that is older than another one, and ignore it if it is of no use any more",
  }),
  drillRule("drill.rotation", {
    id: "receiver.rotation",
    statement: "triggers",
    title: "accepts both secrets during a rotation",
    fix: "verify with a list of secrets, and remove the old one after the rotation",
  }),
  drillRule("drill.burst", {
    id: "receiver.burst",
    statement: "limits",
    title: "accepts a burst of 200 events",
    fix: "store the event and respond, process it after that, and let as many connections wait as can arrive at once",
  }),
  {
    id: "receiver.response_time",
    basis: "assumed",
    statement: "retries",
    title: "responds within 15 s",
    fix: "store the event and respond; process it after that",
    parts: "any",
    judge: judgeResponseTime,
  },
  {
    id: "receiver.reveals_nothing",
    basis: "advice",
    statement: null,
    title: "reveals no secret and no correct signature in a response",
    fix: "respond with a fixed text, and replace a secret that was in a response",
    parts: "any",
    judge: judgeRevelations,
  },
  ...ADVICE.map((id): ReceiverRule => {
    const { expects, sends, source } = getCase(id);
    return {
      id: id.replace("advice.", "receiver."),
      basis: "advice",
      statement: ADVISED_STATEMENTS[id] ?? null,
      title: `${expects}s ${expects === "accept" ? "a delivery with " : ""}${sends}`,
      fix: source,
      parts: [id],
      judge: (trial) => judgeCases([id], trial),
    };
  }),
];

const untouched = (evidence: string): Judgement => ({ verdict: "untouched", evidence, requests: [] });

const NOT_ACCEPTED = "the receiver does not accept an ordinary delivery, so that it shows nothing else";
const NO_RESPONSE = "the receiver did not respond";
const NOT_SENT = "not sent: the receiver did not respond to the deliveries before it";

const responsesOf = ({ deliveries }: ReceiverTrial): ProbeResponses =>
  new Map(deliveries.flatMap(({ part, response }) => (isDrillId(part) ? [] : [[part, response] as const])));

/** Why a part shows nothing; null if it was sent. */
function explainAbsence(part: ReceiverPart, trial: ReceiverTrial): string | null {
  if (trial.deliveries.some((each) => each.part === part)) return null;
  if (isDrillId(part) && getDrill(part).needsSecondSecret && trial.secretCount < 2)
    return "not sent: give a second --secret-file, with the secret that replaces the first one";
  return trial.wasStopped ? NOT_SENT : NOT_ACCEPTED;
}

function judgeCases(ids: readonly CaseId[], trial: ReceiverTrial): Judgement {
  const responses = responsesOf(trial);
  const sent = ids.filter((id) => responses.has(id));
  const failed = sent.filter((id) => meetsExpectation(id, responses) === false);
  if (failed.length > 0) {
    const titles = diagnose(responses)
      .diagnoses.filter(({ evidence }) => evidence.some((each) => failed.includes(each.case)))
      .map(({ id }) => `it ${DIAGNOSES[id].title}`);
    const shown = trial.deliveries.filter(({ part }) => failed.some((id) => id === part));
    const seen = shown.map(({ part, response }) => `${part}: ${describeResponse(response)}`).join(", ");
    return {
      verdict: "fail",
      evidence: [...titles, seen].join("; "),
      requests: shown.map(({ number }) => number),
    };
  }
  if (sent.length < ids.length) return untouched(trial.wasStopped ? NOT_SENT : NOT_ACCEPTED);
  const unclear = ids.filter((id) => meetsExpectation(id, responses) === null);
  // A receiver that rejects everything rejects forged deliveries, too.
  if (responses.get(CONTROL_CASE)?.outcome !== "accepted") return untouched(NOT_ACCEPTED);
  if (unclear.length === 0)
    return { verdict: "pass", evidence: formatCount(ids.length, "delivery", "deliveries"), requests: [] };
  const seen = unclear.map((id) => `${id}: ${describeResponse(responses.get(id))}`);
  return untouched(`a response proves neither: ${seen.join(", ")}`);
}

function judgeDrill(drill: DrillId, trial: ReceiverTrial): Judgement {
  const absence = explainAbsence(drill, trial);
  if (absence !== null) return untouched(absence);
  const sent = trial.deliveries.filter(({ part }) => part === drill);
  const refused = sent.filter(({ response: { status } }) => status === null || status < 200 || status >= 300);
  if (refused.length === 0)
    return { verdict: "pass", evidence: formatCount(sent.length, "delivery", "deliveries"), requests: [] };
  const kinds = refused.map(({ response }) => describeResponse(response));
  const counts = [...new Set(kinds)]
    .sort()
    .map((kind) => `${kinds.filter((each) => each === kind).length} × ${kind}`);
  const sentCount = formatCount(sent.length, "delivery", "deliveries");
  return {
    verdict: "fail",
    evidence: `${refused.length} of ${sentCount} not accepted: ${counts.join(", ")}`,
    requests: refused.map(({ number }) => number),
  };
}

function judgeEffects(trial: ReceiverTrial): Judgement {
  const { effects, deliveries } = trial;
  const absence = explainAbsence("drill.duplicate", trial);
  if (absence !== null) return untouched(absence);
  if (effects === null)
    return untouched(
      "a response does not show it: give --effects-url, the URL of a counter of processed events",
    );
  const repeated = [...effects].filter(([, count]) => (count ?? 0) > 1);
  if (repeated.length > 0) {
    const seen = repeated.map(([drill, count]) => `${drill}: the counter rose by ${count} for one event`);
    const requests = deliveries.filter(({ part }) => repeated.some(([id]) => id === part));
    return { verdict: "fail", evidence: seen.join("; "), requests: requests.map(({ number }) => number) };
  }
  const counts = [...effects.values()];
  if (counts.includes(null)) return untouched("the counter changes all the time");
  if (!counts.includes(1))
    return untouched("the counter did not rise: it has to count the events that --event names");
  return { verdict: "pass", evidence: "the counter rose by one", requests: [] };
}

/** Steps in which a time is reported: the exact time differs from run to run. */
const TIME_STEPS_MS = [1_000, 5_000, 15_000] as const;

/** Without the burst, in which a delivery waits for others: its own rule judges it. */
function judgeResponseTime({ deliveries: all, timeoutMs }: ReceiverTrial): Judgement {
  const deliveries = all.filter(({ part }) => part !== "drill.burst");
  const late = deliveries.filter(({ response }) => response.error === "timeout");
  if (late.length > 0)
    return {
      verdict: "fail",
      evidence: `${late.length} of ${formatCount(deliveries.length, "delivery", "deliveries")} without a response within ${timeoutMs / 1_000} s`,
      requests: late.map(({ number }) => number),
    };
  const times = deliveries.flatMap(({ response: { status, durationMs } }) =>
    status === null ? [] : [durationMs],
  );
  if (times.length === 0) return untouched(NO_RESPONSE);
  const slowest = Math.max(...times);
  const step = TIME_STEPS_MS.find((limit) => slowest <= limit) ?? timeoutMs;
  return { verdict: "pass", evidence: `each response came within ${step / 1_000} s`, requests: [] };
}

function judgeRevelations({ deliveries }: ReceiverTrial): Judgement {
  const revealing = deliveries.filter(({ response }) => response.reveals.length > 0);
  const answered = deliveries.filter(({ response }) => response.status !== null);
  if (answered.length === 0) return untouched(NO_RESPONSE);
  if (revealing.length === 0)
    return { verdict: "pass", evidence: formatCount(answered.length, "response"), requests: [] };
  const found = new Set(revealing.flatMap(({ response }) => response.reveals));
  return {
    verdict: "fail",
    evidence: `a response has the ${[...found].join(" and the ")}`,
    requests: revealing.map(({ number }) => number),
  };
}

const describeResponse = (response: ProbeResponse | undefined): string =>
  `${response?.status ?? response?.error ?? "no response"}`;
