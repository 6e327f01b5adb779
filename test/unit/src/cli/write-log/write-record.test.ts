import { describe, expect, it } from "vitest";
import { type Intent, parseEvent, type WriteEvent } from "../../../../../src/cli/write-log/events.ts";
import { describeOutcome, isOutcomeOpen, statusOf } from "../../../../../src/cli/write-log/write-record.ts";
import { toWriteRecords } from "../../../../../src/cli/write-log/write-records.ts";
import { isSameProcess, type Processes, type ProcessIdentity } from "../../../../../src/process/identity.ts";

const SENDER = { pid: 7, startTime: "b.7", pidNamespace: "9" };

const at = "2026-11-20T00:00:00.000Z";

const createIntent = (more: Partial<Intent> = {}): WriteEvent => ({
  ...{
    type: "intent",
    at,
    key: "a",
    operation: "diligence.submit",
    baseUrl: "http://x",
    environment: "sandbox",
  },
  ...{ content: "c", seller: "s", file: "f", bytes: 1, ...SENDER },
  ...more,
});
const SENT = createIntent();
const NAME = { at, key: "a", content: "c", baseUrl: "http://x", environment: "sandbox" } as const;
const ACCEPTED = {
  type: "accepted",
  ...NAME,
  operation: "diligence.submit",
  jobId: "j",
  status: 202,
} as const;
const UNKNOWN = { type: "unknown", ...NAME, code: "x" } as const;
const createRefused = (status: number | null) => ({ type: "refused", ...NAME, code: "x", status }) as const;

/** Process 1, for which other processes have the given status. */
const createObserver = (statusOf: Processes["statusOf"], own: Partial<ProcessIdentity> = {}) => ({
  now: () => Date.parse(at),
  processes: { own: { pid: 1, startTime: "b.1", pidNamespace: "9", ...own }, userId: 0, statusOf },
});

const ALIVE = createObserver(() => "alive");
const DEAD = createObserver(() => "dead");

const describeOutcomes = (records: readonly WriteEvent[], observer = DEAD) =>
  toWriteRecords(records).map((entry) => describeOutcome(entry, observer));

describe("a write record", () => {
  it("has its last outcome, or the status of its process before there is one", () => {
    expect(describeOutcomes([SENT])).toEqual(["unknown"]);
    expect(describeOutcomes([SENT], ALIVE)).toEqual(["in flight (pid 7)"]);
    expect(describeOutcomes([SENT, UNKNOWN], ALIVE)).toEqual(["unknown"]);
    expect(describeOutcomes([SENT, createRefused(422)])).toEqual(["refused"]);
    expect(describeOutcomes([SENT, createRefused(null)])).toEqual(["not sent"]);
    expect(describeOutcomes([SENT, ACCEPTED])).toEqual(["accepted"]);
  });

  it("combines all attempts with one key and content, and stays accepted", () => {
    expect(describeOutcomes([SENT, SENT, ACCEPTED])).toEqual(["accepted"]);
    const repeated = toWriteRecords([SENT, ACCEPTED, SENT, ACCEPTED]);
    expect(repeated).toMatchObject([{ outcome: "accepted", jobId: "j" }]);
    const refused = { ...createRefused(422), content: "d" };
    const reused = toWriteRecords([SENT, ACCEPTED, createIntent({ content: "d" }), refused]);
    expect(reused.map(({ outcome }) => outcome)).toEqual(["accepted", "refused"]);
    expect(reused.some((entry) => isOutcomeOpen(entry, DEAD))).toBe(false);
  });

  it("has the outcome of its own process and content when two writes share a key", () => {
    const other = { content: "d" };
    const outcomes = (...records: WriteEvent[]) =>
      toWriteRecords([SENT, ...records]).map(({ outcome, jobId }) => [outcome, jobId]);
    const ofOther = { ...createRefused(422), ...other };
    expect(outcomes(createIntent(other), ACCEPTED, ofOther)).toEqual([
      ["accepted", "j"],
      ["refused", null],
    ]);
    for (const second of [other, { baseUrl: "http://y" }])
      expect(outcomes(createIntent(second), ACCEPTED)).toEqual([
        ["accepted", "j"],
        ["open", null],
      ]);
  });

  it("is another write after an acceptance, unless the service repeats its response", () => {
    const outcomes = (...records: WriteEvent[]) =>
      toWriteRecords([SENT, ACCEPTED, SENT, ...records]).map(({ outcome, jobId }) => [outcome, jobId]);
    expect(outcomes({ ...UNKNOWN, supportsIdempotencyKey: false })).toEqual([
      ["accepted", "j"],
      ["unknown", null],
    ]);
    expect(outcomes({ ...ACCEPTED, jobId: "k" })).toEqual([
      ["accepted", "j"],
      ["accepted", "k"],
    ]);
    expect(outcomes(ACCEPTED)).toEqual([["accepted", "j"]]);
  });

  it("counts as accepted without its intent, which a damaged line may have had", () => {
    expect(toWriteRecords([ACCEPTED])).toMatchObject([{ outcome: "accepted", jobId: "j", content: "c" }]);
  });

  it("stays unknown after a retry is refused or not sent", () => {
    for (const first of [[SENT, UNKNOWN], [SENT]]) {
      const retried = [...first, SENT, createRefused(401), SENT, createRefused(409)];
      expect(describeOutcomes([...first, SENT, createRefused(null)], ALIVE)).toEqual(["unknown"]);
      expect(describeOutcomes(retried)).toEqual(["unknown"]);
      expect(describeOutcomes([...first, SENT, ACCEPTED])).toEqual(["accepted"]);
    }
    expect(describeOutcomes([SENT, createRefused(null), SENT, createRefused(422)])).toEqual(["refused"]);
  });

  it.each([
    ["the reader", createObserver(() => "alive", SENDER), "unknown"],
    ["another container", createObserver(() => "unknown"), "unseen"],
  ])("is open when the PID belongs to %s", (_, observer, status) => {
    const records = toWriteRecords([SENT]);
    expect(records.map((record) => statusOf(record, observer))).toEqual([status]);
    expect(describeOutcomes([SENT], observer)).toEqual(["unknown"]);
  });

  it("is in flight while the process of its last attempt runs", () => {
    const records = [SENT, createIntent({ at: "2026-11-20T01:00:00.000Z", pid: 8 })];
    const observer = createObserver((sender) =>
      isSameProcess(sender, { ...SENDER, pid: 8 }) ? "alive" : "dead",
    );
    expect(describeOutcomes(records, observer)).toEqual(["in flight (pid 8)"]);
    expect(toWriteRecords(records)).toMatchObject([{ at }]);
  });

  it("has the last state of its job on its service", () => {
    const createState = (baseUrl: string, state: string): WriteEvent => ({
      ...{ type: "state", at, baseUrl, jobId: "j", state },
    });
    const records = [SENT, ACCEPTED, createState("http://x", "queued"), createState("http://y", "failed")];
    expect(toWriteRecords(records)).toMatchObject([{ state: "queued" }]);
    expect(toWriteRecords([...records, createState("http://x", "completed")])).toMatchObject([
      { state: "completed" },
    ]);
  });
});

describe("parseEvent", () => {
  it.each([
    "",
    "{",
    "null",
    '{"type":"toString"}',
    '{"type":"accepted"}',
    '{"type":"accepted","key":"a","jobId":"j"}',
    '{"type":"accepted","key":"a","jobId":7,"content":"c","baseUrl":"http://x","environment":"sandbox","operation":"o"}',
    '{"type":"state","jobId":7}',
  ])("returns null for %j", (line) => {
    expect(parseEvent(line)).toBeNull();
  });

  it("returns the event of a valid line", () => {
    expect(parseEvent(JSON.stringify(SENT))).toEqual(SENT);
  });
});
