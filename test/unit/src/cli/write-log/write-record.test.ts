import { describe, expect, it } from "vitest";
import { type Intent, parseEvent, type WriteEvent } from "../../../../../src/cli/write-log/events.ts";
import {
  describeStatus,
  hasUnknownOutcome,
  toWriteRecords,
} from "../../../../../src/cli/write-log/write-record.ts";
import { isSameProcess, type Processes, type ProcessIdentity } from "../../../../../src/process/identity.ts";

const SENDER = { pid: 7, startTime: "b.7", pidNamespace: "9" };

const at = "2026-11-20T00:00:00.000Z";

const intent = (key: string, more: Partial<Intent> = {}): WriteEvent => ({
  ...{ type: "intent", at, key, operation: "diligence.submit", baseUrl: "http://x", environment: "sandbox" },
  ...{ content: "c", seller: "s", file: "f", bytes: 1, ...SENDER },
  ...more,
});
const accepted = (key: string, jobId: string): WriteEvent => ({
  type: "accepted",
  at,
  key,
  jobId,
  status: 202,
});
const refused = (key: string, status: number | null): WriteEvent => ({
  type: "refused",
  at,
  key,
  code: "x",
  status,
});

/** The process with the pid 1, which sees the others so. */
const seeing = (statusOf: Processes["statusOf"], own: Partial<ProcessIdentity> = {}) => ({
  processes: { own: { pid: 1, startTime: "b.1", pidNamespace: "9", ...own }, userId: 0, statusOf },
});

const standings = (records: readonly WriteEvent[], isAlive = false) =>
  toWriteRecords(records).map((entry) =>
    describeStatus(
      entry,
      seeing(() => (isAlive ? "alive" : "dead")),
    ),
  );

describe("a write record", () => {
  it("has the last outcome, or the status of its process", () => {
    expect(standings([intent("a")])).toEqual(["unknown"]);
    expect(standings([intent("a")], true)).toEqual(["in flight (pid 7)"]);
    expect(standings([intent("a"), { type: "unknown", at, key: "a", code: "x" }], true)).toEqual(["unknown"]);
    expect(standings([intent("a"), refused("a", 422), intent("b"), refused("b", null)])).toEqual([
      "refused",
      "not sent",
    ]);
    expect(standings([intent("a"), accepted("a", "j")])).toEqual(["accepted"]);
  });

  it("covers all attempts with one key and content, and stays accepted", () => {
    expect(standings([intent("a"), intent("a"), accepted("a", "j")])).toEqual(["accepted"]);
    const repeated = toWriteRecords([intent("a"), accepted("a", "j"), intent("a"), refused("a", 500)]);
    expect(repeated).toMatchObject([{ outcome: "accepted", jobId: "j" }]);
    const reused = toWriteRecords([
      intent("a"),
      accepted("a", "j"),
      intent("a", { content: "d" }),
      refused("a", 422),
    ]);
    expect(reused.map(({ outcome }) => outcome)).toEqual(["accepted", "refused"]);
    expect(
      reused.some((entry) =>
        hasUnknownOutcome(
          entry,
          seeing(() => "dead"),
        ),
      ),
    ).toBe(false);
  });

  it("has the outcome of its own process and content if two writes share a key", () => {
    const other = { content: "d", pid: 8 };
    const both = [intent("a"), intent("a", other)];
    const outcomes = (...records: WriteEvent[]) =>
      toWriteRecords([...both, ...records]).map(({ outcome, jobId }) => [outcome, jobId]);
    const ofFirst = { ...accepted("a", "j"), content: "c", pid: 7 };
    const ofOther = { ...refused("a", 422), ...other };
    expect(outcomes(ofFirst, ofOther)).toEqual([
      ["accepted", "j"],
      ["refused", null],
    ]);
    expect(outcomes(ofFirst)).toEqual([
      ["accepted", "j"],
      ["open", null],
    ]);
    const elsewhere = toWriteRecords([intent("a"), intent("a", { baseUrl: "http://y", pid: 8 }), ofFirst]);
    expect(elsewhere.map(({ outcome }) => outcome)).toEqual(["accepted", "open"]);
  });

  it("stays unknown after a repeat was refused or not sent", () => {
    const unknown: WriteEvent = { type: "unknown", at, key: "a", code: "x" };
    for (const first of [[intent("a"), unknown], [intent("a")]]) {
      expect(standings([...first, intent("a"), refused("a", null)], true)).toEqual(["unknown"]);
      expect(standings([...first, intent("a"), refused("a", 401), intent("a"), refused("a", 409)])).toEqual([
        "unknown",
      ]);
      expect(standings([...first, intent("a"), accepted("a", "j")])).toEqual(["accepted"]);
    }
    expect(standings([intent("a"), refused("a", null), intent("a"), refused("a", 422)])).toEqual(["refused"]);
  });

  it("is unknown for a pid of the reader or of another container", () => {
    const [entry] = toWriteRecords([intent("a")]);
    expect(
      entry &&
        hasUnknownOutcome(
          entry,
          seeing(() => "alive", SENDER),
        ),
    ).toBe(true);
    expect(
      entry &&
        hasUnknownOutcome(
          entry,
          seeing(() => "unknown"),
        ),
    ).toBe(true);
  });

  it("is in flight while the process of its last attempt runs", () => {
    const later = "2026-11-20T01:00:00.000Z";
    const [entry] = toWriteRecords([intent("a"), intent("a", { at: later, pid: 8 })]);
    const observer = seeing((sender) => (isSameProcess(sender, { ...SENDER, pid: 8 }) ? "alive" : "dead"));
    expect(entry && describeStatus(entry, observer)).toBe("in flight (pid 8)");
    expect(entry?.at).toBe(at);
  });

  it("has the last state of its job at its service", () => {
    const state = (baseUrl: string, name: string): WriteEvent => ({
      type: "state",
      at,
      baseUrl,
      jobId: "j",
      state: name,
    });
    const records = [
      intent("a"),
      accepted("a", "j"),
      state("http://x", "queued"),
      state("http://y", "failed"),
    ];
    expect(standings(records)).toEqual(["queued"]);
    expect(standings([...records, state("http://x", "completed")])).toEqual(["completed"]);
  });
});

describe("a line of the log", () => {
  it.each([
    "",
    "{",
    "null",
    "[]",
    '"intent"',
    '{"type":"toString"}',
    '{"type":"accepted"}',
    '{"type":"accepted","key":"a"}',
    '{"type":"accepted","key":"a","jobId":7}',
    '{"type":"state","jobId":7}',
  ])("%j is not an event", (line) => {
    expect(parseEvent(line)).toBeNull();
  });

  it("is an event with the fields of its type", () => {
    expect(parseEvent(JSON.stringify(intent("a")))).toEqual(intent("a"));
  });
});
