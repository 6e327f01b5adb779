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

const createIntent = (key: string, more: Partial<Intent> = {}): WriteEvent => ({
  ...{ type: "intent", at, key, operation: "diligence.submit", baseUrl: "http://x", environment: "sandbox" },
  ...{ content: "c", seller: "s", file: "f", bytes: 1, ...SENDER },
  ...more,
});
const createAccepted = (key: string, jobId: string): WriteEvent => ({
  type: "accepted",
  at,
  key,
  jobId,
  status: 202,
});
const createRefused = (key: string, status: number | null): WriteEvent => ({
  type: "refused",
  at,
  key,
  code: "x",
  status,
});

/** Process 1, for which other processes have the given status. */
const createObserver = (statusOf: Processes["statusOf"], own: Partial<ProcessIdentity> = {}) => ({
  processes: { own: { pid: 1, startTime: "b.1", pidNamespace: "9", ...own }, userId: 0, statusOf },
});

const describeStatuses = (records: readonly WriteEvent[], isAlive = false) =>
  toWriteRecords(records).map((entry) =>
    describeStatus(
      entry,
      createObserver(() => (isAlive ? "alive" : "dead")),
    ),
  );

describe("a write record", () => {
  it("has its last outcome, or the status of its process before there is one", () => {
    expect(describeStatuses([createIntent("a")])).toEqual(["unknown"]);
    expect(describeStatuses([createIntent("a")], true)).toEqual(["in flight (pid 7)"]);
    expect(describeStatuses([createIntent("a"), { type: "unknown", at, key: "a", code: "x" }], true)).toEqual(
      ["unknown"],
    );
    expect(
      describeStatuses([
        createIntent("a"),
        createRefused("a", 422),
        createIntent("b"),
        createRefused("b", null),
      ]),
    ).toEqual(["refused", "not sent"]);
    expect(describeStatuses([createIntent("a"), createAccepted("a", "j")])).toEqual(["accepted"]);
  });

  it("combines all attempts with one key and content, and stays accepted", () => {
    expect(describeStatuses([createIntent("a"), createIntent("a"), createAccepted("a", "j")])).toEqual([
      "accepted",
    ]);
    const repeated = toWriteRecords([
      createIntent("a"),
      createAccepted("a", "j"),
      createIntent("a"),
      createRefused("a", 500),
    ]);
    expect(repeated).toMatchObject([{ outcome: "accepted", jobId: "j" }]);
    const reused = toWriteRecords([
      createIntent("a"),
      createAccepted("a", "j"),
      createIntent("a", { content: "d" }),
      createRefused("a", 422),
    ]);
    expect(reused.map(({ outcome }) => outcome)).toEqual(["accepted", "refused"]);
    expect(
      reused.some((entry) =>
        hasUnknownOutcome(
          entry,
          createObserver(() => "dead"),
        ),
      ),
    ).toBe(false);
  });

  it("has the outcome of its own process and content when two writes share a key", () => {
    const other = { content: "d", pid: 8 };
    const both = [createIntent("a"), createIntent("a", other)];
    const outcomes = (...records: WriteEvent[]) =>
      toWriteRecords([...both, ...records]).map(({ outcome, jobId }) => [outcome, jobId]);
    const ofFirst = { ...createAccepted("a", "j"), content: "c", pid: 7 };
    const ofOther = { ...createRefused("a", 422), ...other };
    expect(outcomes(ofFirst, ofOther)).toEqual([
      ["accepted", "j"],
      ["refused", null],
    ]);
    expect(outcomes(ofFirst)).toEqual([
      ["accepted", "j"],
      ["open", null],
    ]);
    const atOtherService = toWriteRecords([
      createIntent("a"),
      createIntent("a", { baseUrl: "http://y", pid: 8 }),
      ofFirst,
    ]);
    expect(atOtherService.map(({ outcome }) => outcome)).toEqual(["accepted", "open"]);
  });

  it("stays unknown after a retry is refused or not sent", () => {
    const unknown: WriteEvent = { type: "unknown", at, key: "a", code: "x" };
    for (const first of [[createIntent("a"), unknown], [createIntent("a")]]) {
      expect(describeStatuses([...first, createIntent("a"), createRefused("a", null)], true)).toEqual([
        "unknown",
      ]);
      expect(
        describeStatuses([
          ...first,
          createIntent("a"),
          createRefused("a", 401),
          createIntent("a"),
          createRefused("a", 409),
        ]),
      ).toEqual(["unknown"]);
      expect(describeStatuses([...first, createIntent("a"), createAccepted("a", "j")])).toEqual(["accepted"]);
    }
    expect(
      describeStatuses([
        createIntent("a"),
        createRefused("a", null),
        createIntent("a"),
        createRefused("a", 422),
      ]),
    ).toEqual(["refused"]);
  });

  it("is unknown when the PID belongs to the reader or to another container", () => {
    const [entry] = toWriteRecords([createIntent("a")]);
    expect(
      entry &&
        hasUnknownOutcome(
          entry,
          createObserver(() => "alive", SENDER),
        ),
    ).toBe(true);
    expect(
      entry &&
        hasUnknownOutcome(
          entry,
          createObserver(() => "unknown"),
        ),
    ).toBe(true);
  });

  it("is in flight while the process of its last attempt runs", () => {
    const later = "2026-11-20T01:00:00.000Z";
    const [entry] = toWriteRecords([createIntent("a"), createIntent("a", { at: later, pid: 8 })]);
    const observer = createObserver((sender) =>
      isSameProcess(sender, { ...SENDER, pid: 8 }) ? "alive" : "dead",
    );
    expect(entry && describeStatus(entry, observer)).toBe("in flight (pid 8)");
    expect(entry?.at).toBe(at);
  });

  it("has the last state of its job on its service", () => {
    const state = (baseUrl: string, name: string): WriteEvent => ({
      type: "state",
      at,
      baseUrl,
      jobId: "j",
      state: name,
    });
    const records = [
      createIntent("a"),
      createAccepted("a", "j"),
      state("http://x", "queued"),
      state("http://y", "failed"),
    ];
    expect(describeStatuses(records)).toEqual(["queued"]);
    expect(describeStatuses([...records, state("http://x", "completed")])).toEqual(["completed"]);
  });
});

describe("parseEvent", () => {
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
  ])("returns null for %j", (line) => {
    expect(parseEvent(line)).toBeNull();
  });

  it("returns the event of a valid line", () => {
    expect(parseEvent(JSON.stringify(createIntent("a")))).toEqual(createIntent("a"));
  });
});

it("a log of 120,000 writes with the id of one job is read", { tags: "large" }, () => {
  const events = Array.from({ length: 120_000 }, (_, index) => [
    createIntent(`key${index}`),
    createAccepted(`key${index}`, "job"),
  ]).flat();
  const state: WriteEvent = { type: "state", at, baseUrl: "http://x", jobId: "job", state: "completed" };
  const records = toWriteRecords([...events, state]);
  expect(records.filter((record) => record.state === "completed")).toHaveLength(120_000);
});
