import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../../../sandbox/index.ts";
import { readSnapshot, writeSnapshot } from "../../../../../sandbox/library/snapshots/document.ts";
import type { Snapshot } from "../../../../../sandbox/library/snapshots/snapshot.ts";
import { createClaim } from "../../../../support/sample-claims.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import { call, post, readFixture, requestAccessToken } from "../../../../support/sandbox-requests.ts";

const exportText = async (sandbox: Sandbox) => [...(await sandbox.snapshots.export("now"))].join("");

/** Starts a sandbox with data in every part of its memory, and exports its snapshot. */
async function startWithSnapshot() {
  const failures: unknown[] = [];
  const sandbox = await sandboxForTest({ onError: (error) => failures.push(error) });
  await post(sandbox, "/v1/offers", { claimId: await createClaim(sandbox) });
  await post(sandbox, "/v1/portfolio-scans", { mode: "full" });
  await sandbox.webhooks.emit({ type: "partner.test" });
  await sandbox.webhooks.emit({ type: "partner.test", environment: "production" });
  await requestAccessToken(sandbox);
  await sandbox.idle();
  return { sandbox, failures, snapshot: await readSnapshot([await exportText(sandbox)]) };
}

type Change = (snapshot: Snapshot) => unknown;

const withMemory =
  (changes: Readonly<Record<string, unknown>>): Change =>
  (snapshot) => ({ ...snapshot, memory: { ...snapshot.memory, ...changes } });

const withCredentials =
  (changes: Readonly<Record<string, unknown>>): Change =>
  (snapshot) =>
    withMemory({ credentials: { ...snapshot.memory.credentials, ...changes } })(snapshot);

/** Replaces the value of a column in every row of a table. */
const withCell =
  (table: string, column: string, value: unknown): Change =>
  ({ tables, ...rest }) => ({
    ...rest,
    tables: tables.map((each) =>
      each.name === table
        ? { ...each, rows: each.rows.map((row) => row.with(each.columns.indexOf(column), value as string)) }
        : each,
    ),
  });

const withTables =
  (change: (tables: Snapshot["tables"]) => unknown): Change =>
  ({ tables, ...rest }) => ({ ...rest, tables: change(tables) });

const sink = {
  ...{ sink: "x", number: 1, at: "2026-11-20T00:00:00.000Z", method: "POST", target: "/", headers: [] },
  ...{ bodyBase64: "", size: 0, responseStatus: 200, verdict: "valid", reason: "" },
};

/** Creates nested lists that JSON.stringify can still write. */
const createNestedLists = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));

const INVALID_CHANGES: Readonly<Record<string, Change>> = {
  "a deeply nested value in the memory": withMemory({ more: createNestedLists(1_000) }),
  "a clock stopped beyond the year 9999": withMemory({ clock: { stoppedAt: 1e18 } }),
  "a url that is a number": withMemory({ url: 7 }),
  "a random stream that is too short": withMemory({ random: { seed: 1, streams: { job: [1, 2, 3] } } }),
  "credentials that are numbers": withCredentials({ sandbox: { apiKey: 1, clientId: 2, clientSecret: 3 } }),
  "an unknown key": withCredentials({ production: { apiKey: "sk_production_unknown" } }),
  "a key of a third partner": ({ memory, ...rest }) =>
    withMemory({ keys: memory.keys.map(([digest, caller]) => [digest, { ...caller, partner: 3 }]) })({
      memory,
      ...rest,
    }),
  "sinks with a string as a count": withMemory({ sinks: { kept: [], counts: [["x", "1"]] } }),
  "a sink's request with a number as a header": withMemory({
    sinks: { kept: [{ ...sink, headers: [["x", 1]] }], counts: [] },
  }),
  "a missing table": withTables((tables) => tables.slice(1)),
  "a table name with an SQL injection": withTables((tables) =>
    tables.map((table) => ({ ...table, name: `${table.name}; DROP TABLE main.job` })),
  ),
  "a row with an additional cell": withTables((tables) =>
    tables.map((table) => ({ ...table, rows: table.rows.map((row) => [...row, 1]) })),
  ),
  "a string in place of a number": withCell("main.job", "created_at", "noon"),
  "a string in place of bytes": withCell("bulk.event", "body", "text"),
  "a time beyond the year 9999": withCell("bulk.delivery", "created_at", 1e18),
  "an unknown state": withCell("main.job", "state", "dancing"),
  "text in place of JSON": withCell("bulk.endpoint", "subscribed_events", "partner.test"),
  "a report that is not JSON": withCell("main.report", "document", Buffer.from("<html>")),
  "a scheduled task of an unknown kind": withCell("bulk.agenda", "kind", "party.begin"),
};

describe("a snapshot document with the right hash", () => {
  it("is refused before any change if its content is invalid", async () => {
    const { sandbox, failures, snapshot } = await startWithSnapshot();
    const before = await exportText(sandbox);
    for (const [what, change] of Object.entries(INVALID_CHANGES)) {
      const document = [...writeSnapshot(change(snapshot) as Snapshot)].join("");
      await expect(sandbox.snapshots.import("bad", document), what).rejects.toMatchObject({
        code: "snapshot_invalid",
      });
    }
    const invalid = [...writeSnapshot(withMemory({ clock: null })(snapshot) as Snapshot)].join("");
    const response = await call(sandbox, "/_sandbox/state", {
      ...{ method: "PUT", token: sandbox.controlToken, body: invalid },
      // A request id generated by the sandbox would change the compared random state.
      headers: { "x-request-id": "mine" },
    });
    expect([response.status, response.body.code]).toEqual([422, "validation_failed"]);
    await expect(startSandbox({ snapshot: invalid })).rejects.toMatchObject({ code: "snapshot_invalid" });
    expect((await exportText(sandbox)) === before).toBe(true);
    expect([failures, sandbox.snapshots.list()]).toEqual([[], []]);
    // The unchanged snapshot is valid.
    await sandbox.snapshots.import("good", writeSnapshot(snapshot));
    await sandbox.snapshots.load("good");
    expect((await exportText(sandbox)) === before).toBe(true);
  });

  it("is refused if a line is invalid or misplaced", async () => {
    const sandbox = await sandboxForTest();
    const [head = "", memory = "", ...rest] = (await exportText(sandbox)).trimEnd().split("\n").slice(0, -1);
    const rows = rest.findIndex((line) => line.startsWith('{"rows"'));
    for (const lines of [
      [head, memory, ...rest.slice(rows)],
      [head, memory, '{"bytes":"AAAA"}', ...rest],
      [head, memory, "[]", ...rest],
      [head, memory, `{"sinkRequests":[${"0,".repeat(200_000)}0]}`, ...rest],
      [head, memory, '{"rows":[1]}', ...rest],
      [head, memory, ...rest.with(rows, '{"rows":[1,null]}')],
      [head, memory, ...rest.with(rows, '{"rows":{"length":3}}')],
      [head, ...rest],
      [head.replace(/"takenAt":"[^"]*"/, '"takenAt":"noon"'), memory, ...rest],
      [head.replace(/"takenAt":"[^"]*"/, '"takenAt":{}'), memory, ...rest],
      [head.replace(/"takenAt":"[^"]*"/, '"takenAt":{"toString":1}'), memory, ...rest],
      [head, memory.replace("{", `{"more":${"[".repeat(20_000)}${"]".repeat(20_000)},`), ...rest],
    ])
      await expect(sandbox.snapshots.import("bad", appendHash(lines))).rejects.toMatchObject({
        code: "snapshot_invalid",
      });
    await sandbox.snapshots.import("good", appendHash([head, memory, ...rest]));
  });
});

/** Appends the final line with the hash of the lines. */
function appendHash(lines: readonly string[]): string {
  const text = lines.map((line) => `${line}\n`).join("");
  const sha256 = createHash("sha256").update(text).digest("hex");
  return `${text}${JSON.stringify({ end: "claims-sandbox-snapshot", sha256 })}\n`;
}

it("a snapshot upload over the control API is refused early if it is another kind of file, and the client gets the response", async () => {
  const sandbox = await sandboxForTest();
  for (const path of ["/_sandbox/state", "/_sandbox/snapshots/x"])
    for (const body of ["", "{}", readFixture("openapi.json"), "not a snapshot\n".repeat(2_000_000)]) {
      const response = await call(sandbox, path, {
        ...{ method: "PUT", token: sandbox.controlToken, body: body as string },
      });
      expect([response.status, response.body.code]).toEqual([422, "validation_failed"]);
      expect(response.body.detail).toContain("not a snapshot of a sandbox");
    }
});
