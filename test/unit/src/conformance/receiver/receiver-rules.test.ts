import { describe, expect, it } from "vitest";
import { RECEIVER_RULES } from "../../../../../src/conformance/receiver/rules.ts";
import { planParts, runReceiverTrial } from "../../../../../src/conformance/receiver/run-trial.ts";
import type { Judgement, Verdict } from "../../../../../src/conformance/rule.ts";
import { getCase, type ProbeDelivery } from "../../../../../src/domain/webhooks/probe/cases.ts";
import { classifyResponse, type ProbeResponse } from "../../../../../src/domain/webhooks/probe/responses.ts";
import { type VerifyResult, verify } from "../../../../../src/signature.ts";

const SECRETS = ["whsec_old", "whsec_new"] as const;
const START = Date.UTC(2026, 10, 20);
const TIMEOUT_MS = 15_000;

interface Delivered {
  readonly id: string;
  readonly createdAt: number;
  /** How many deliveries are in progress, this one included. */
  readonly inFlight: number;
  readonly verdict: VerifyResult["verdict"];
}

/** Returns the status, or `timeout`. */
type Receiver = (delivered: Delivered) => number | "timeout";

interface SetUp {
  readonly secrets?: readonly [string, ...string[]];
  readonly knownSecrets?: readonly string[];
  readonly only?: readonly string[];
  readonly readEffects?: () => Promise<number>;
}

/** Runs rules against a receiver that is a function. */
async function judge(receiver: Receiver, setUp: SetUp = {}) {
  const { secrets = SECRETS, knownSecrets = SECRETS, only, readEffects } = setUp;
  const rules = RECEIVER_RULES.filter(({ id }) => only?.includes(id) ?? true);
  let now = START;
  let inFlight = 0;
  let ids = 0;
  const createId = () => {
    ids += 1;
    return `event-${ids}`;
  };
  const send = async ({ headers, body }: ProbeDelivery): Promise<ProbeResponse> => {
    inFlight += 1;
    const { verdict } = verify({ secrets: knownSecrets, headers, body, now, toleranceSeconds: 300 });
    const { id, createdAt } = JSON.parse(body);
    await Promise.resolve();
    const status = receiver({ id, createdAt: Date.parse(createdAt), inFlight, verdict });
    inFlight -= 1;
    const common = { firstStatus: null, durationMs: 40, text: "", reveals: [], clockOffsetMs: null };
    return status === "timeout"
      ? { ...common, outcome: "no_response", status: null, error: "timeout" }
      : { ...common, outcome: classifyResponse(status), status, error: null };
  };
  const trial = await runReceiverTrial({
    parts: planParts(rules),
    secrets,
    event: "partner.test",
    createId,
    timeoutMs: TIMEOUT_MS,
    send,
    sendCase: (id) =>
      send(getCase(id).make({ secret: secrets[0], event: "partner.test", id: createId(), now })),
    readEffects,
    now: () => now,
    sleep: async (milliseconds) => {
      now += milliseconds;
    },
  });
  const judgements = new Map(rules.map(({ id, judge: judgeRule }) => [id, judgeRule(trial)]));
  const listByVerdict = (verdict: Verdict): string[] =>
    [...judgements].flatMap(([id, each]) => (each.verdict === verdict ? [id] : []));
  return { trial, judgements, listByVerdict };
}

const acceptGenuine: Receiver = ({ verdict }) => (verdict === "valid" ? 204 : 401);

/** A receiver with a counter of processed events. */
function createCountingReceiver(processes: (id: string, processed: readonly string[]) => boolean) {
  const processed: string[] = [];
  const receiver: Receiver = (delivered) => {
    if (delivered.verdict !== "valid") return 401;
    if (processes(delivered.id, processed)) processed.push(delivered.id);
    return 200;
  };
  return { receiver, readEffects: async () => processed.length };
}

describe("the rules for receivers", () => {
  it("have stable, unique ids", () => {
    const ids = RECEIVER_RULES.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, basis, statement } of RECEIVER_RULES) {
      expect(id).toMatch(/^receiver\.[a-z0-9_]+$/);
      if (basis !== "advice") expect(statement).not.toBeNull();
    }
  });

  it("pass a correct receiver with a counter", async () => {
    const counting = createCountingReceiver((id, processed) => !processed.includes(id));
    const { listByVerdict } = await judge(counting.receiver, counting);
    // The receiver does not compare the event header with the payload.
    expect(listByVerdict("fail")).toEqual(["receiver.event_differs"]);
    expect(listByVerdict("untouched")).toEqual([]);
  });

  it("leave what nothing can show untouched", async () => {
    const { judgements, listByVerdict } = await judge(acceptGenuine, { secrets: [SECRETS[0]] });
    expect(listByVerdict("untouched")).toEqual(["receiver.processed_once", "receiver.rotation"]);
    expect(judgements.get("receiver.processed_once")?.evidence).toContain("--effects-url");
    expect(judgements.get("receiver.rotation")?.evidence).toContain("--secret-file");
  });

  it.each<[string, string, Receiver]>([
    [
      "receiver.late_retry",
      "refuses old payloads",
      (delivered) => (delivered.createdAt < START - 3_600_000 ? 400 : acceptGenuine(delivered)),
    ],
    [
      "receiver.out_of_order",
      "refuses what is older than the last event",
      (() => {
        let last = 0;
        return (delivered: Delivered) => {
          // An event of three days ago is not out of order for this receiver.
          if (delivered.createdAt < START - 3_600_000) return 200;
          if (delivered.createdAt < last) return 409;
          last = delivered.verdict === "valid" ? delivered.createdAt : last;
          return acceptGenuine(delivered);
        };
      })(),
    ],
    ["receiver.burst", "works on 5 at once", (each) => (each.inFlight > 5 ? 503 : acceptGenuine(each))],
    [
      "receiver.burst",
      "lets 5 connections wait, and so keeps others waiting",
      (each) => (each.inFlight > 5 ? "timeout" : acceptGenuine(each)),
    ],
  ])("%s fails a receiver that %s", async (id, _, receiver) => {
    const { listByVerdict } = await judge(receiver);
    expect(listByVerdict("fail")).toEqual([id, "receiver.event_differs"]);
  });

  it("count the responses of a burst", async () => {
    const only = ["receiver.burst"];
    let count = 0;
    const receiver: Receiver = (delivered) => {
      count += 1;
      return count > 51 ? 429 : acceptGenuine(delivered);
    };
    const { judgements, trial } = await judge(receiver, { only });
    expect(judgements.get("receiver.burst")).toMatchObject({
      evidence: "150 of 200 deliveries not accepted: 150 × 429",
    });
    expect(judgements.get("receiver.burst")?.requests).toHaveLength(150);
    const ids = trial.deliveries.map(({ number }) => number);
    expect(ids).toEqual(Array.from({ length: 201 }, (_, index) => index + 1));
  });

  it("fail a receiver that rejects repeated events, in sequence or at once", async () => {
    const seen = new Set<string>();
    const { listByVerdict } = await judge((delivered) => {
      if (delivered.verdict !== "valid") return 401;
      if (seen.has(delivered.id)) return 409;
      seen.add(delivered.id);
      return 200;
    });
    expect(listByVerdict("fail")).toEqual([
      "receiver.duplicate",
      "receiver.two_endpoints",
      "receiver.event_differs",
    ]);
  });

  it("fail a receiver that knows only the first secret", async () => {
    const { listByVerdict } = await judge(acceptGenuine, { knownSecrets: [SECRETS[0]] });
    expect(listByVerdict("fail")).toEqual([
      "receiver.two_endpoints",
      "receiver.rotation",
      "receiver.event_differs",
    ]);
  });

  it("prove with a counter that a receiver processes an event twice", async () => {
    const counting = createCountingReceiver(() => true);
    const { judgements, trial } = await judge(counting.receiver, counting);
    const judgement = judgements.get("receiver.processed_once") as Judgement;
    expect(judgement.verdict).toBe("fail");
    expect(judgement.evidence).toContain("drill.duplicate: the counter rose by 2 for one event");
    const parts = trial.deliveries.filter(({ number }) => judgement.requests.includes(number));
    expect(parts.map(({ part }) => part)).toEqual([
      ...["drill.duplicate", "drill.duplicate"],
      ...["drill.two_endpoints", "drill.two_endpoints"],
    ]);
  });

  it("prove nothing with a counter that does not move, or always does", async () => {
    let count = 0;
    for (const readEffects of [async () => 7, async () => (count += 1)]) {
      const { judgements } = await judge(acceptGenuine, { readEffects });
      expect(judgements.get("receiver.processed_once")?.verdict).toBe("untouched");
    }
  });

  it("stop after three deliveries without a response in time", async () => {
    const { judgements, trial, listByVerdict } = await judge(() => "timeout");
    expect(trial.deliveries).toHaveLength(3);
    expect(listByVerdict("pass")).toEqual([]);
    expect(listByVerdict("fail")).toEqual(["receiver.raw_body", "receiver.response_time"]);
    expect(judgements.get("receiver.response_time")?.evidence).toBe(
      "3 of 3 deliveries without a response within 15 s",
    );
  });

  it("pass nothing about a receiver that rejects everything", async () => {
    const { listByVerdict } = await judge(() => 401);
    expect(listByVerdict("fail")).toEqual(["receiver.base_string", "receiver.raw_body"]);
    expect(listByVerdict("pass")).toEqual(["receiver.response_time", "receiver.reveals_nothing"]);
  });

  it("fail a receiver that does not verify, and say so", async () => {
    const { judgements, listByVerdict } = await judge(() => 200);
    expect(listByVerdict("fail")).toEqual([
      "receiver.base_string",
      "receiver.key",
      "receiver.missing_headers",
      "receiver.comparison",
      "receiver.event_differs",
      "receiver.old_10_minutes",
      "receiver.old_1_day",
    ]);
    expect(judgements.get("receiver.key")?.evidence).toContain("it accepts everything");
  });

  it("send only what the selected rules need", async () => {
    const { trial } = await judge(acceptGenuine, { only: ["receiver.late_retry"] });
    expect(trial.deliveries.map(({ part }) => part)).toEqual(["raw.compact", "drill.late_retry"]);
  });
});
