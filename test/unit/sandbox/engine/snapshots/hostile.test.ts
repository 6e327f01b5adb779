import { createHash } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { readSnapshot, writeSnapshot } from "../../../../../sandbox/engine/snapshots/document.ts";
import type { Snapshot } from "../../../../../sandbox/engine/snapshots/snapshot.ts";
import { type Sandbox, startSandbox } from "../../../../../sandbox/index.ts";
import { createClaim } from "../../../../support/sample-claims.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import { bearer, call, post, rawRequest, submitAndSettle } from "../../../../support/sandbox-requests.ts";

const textOf = async (sandbox: Sandbox) => [...(await sandbox.snapshots.export("now"))].join("");

/** A sandbox with something in every part of its memory, and what it would save. */
async function saved() {
  const failures: unknown[] = [];
  const sandbox = await sandboxForTest({ onError: (error) => failures.push(error) });
  await post(sandbox, "/v1/offers", { claimId: await createClaim(sandbox) });
  await post(sandbox, "/v1/portfolio-scans", { mode: "full" });
  await sandbox.webhooks.emit({ type: "partner.test" });
  await sandbox.webhooks.emit({ type: "partner.test", environment: "production" });
  await call(sandbox, "/v1/oauth/token", {
    method: "POST",
    token: null,
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: sandbox.credentials.sandbox.clientId,
      client_secret: sandbox.credentials.sandbox.clientSecret,
    }),
  });
  await sandbox.idle();
  return { sandbox, failures, snapshot: await readSnapshot([await textOf(sandbox)]) };
}

type Change = (snapshot: Snapshot) => unknown;

const withMemory =
  (changes: Readonly<Record<string, unknown>>): Change =>
  (snapshot) => ({ ...snapshot, memory: { ...snapshot.memory, ...changes } });

const withCredentials =
  (changes: Readonly<Record<string, unknown>>): Change =>
  (snapshot) =>
    withMemory({ credentials: { ...snapshot.memory.credentials, ...changes } })(snapshot);

/** Every row of a table with another value in a column. */
const withCell =
  (table: string, column: string, value: unknown): Change =>
  ({ tables, ...rest }) => ({
    ...rest,
    tables: tables.map((each) =>
      each.name === table
        ? {
            ...each,
            rows: each.rows.map((row) => row.with(each.columns.indexOf(column), value as string)),
          }
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

/** Lists within each other, few enough for this test to write them. */
const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));

const NONSENSE: Readonly<Record<string, Change>> = {
  "a memory with something deep in it": withMemory({ more: nested(1_000) }),
  "a clock that stands at no time": withMemory({ clock: { stoppedAt: "noon" } }),
  "a clock that stands beyond the year 9999": withMemory({ clock: { stoppedAt: 1e18 } }),
  "a clock that stands between two milliseconds": withMemory({ clock: { stoppedAt: 0.5 } }),
  "a clock that is far ahead": withMemory({ clock: { ahead: 1e18 } }),
  "a clock that neither stands nor runs": withMemory({ clock: {} }),
  "no clock": withMemory({ clock: null }),
  "a clock that is a list": withMemory({ clock: [1] }),
  "no address": withMemory({ url: 7 }),
  "an address with wild cards": withMemory({ url: "http://%" }),
  "numbers without a seed": withMemory({ random: { streams: {} } }),
  "numbers that are a list": withMemory({ random: [] }),
  "a stream of numbers that is short": withMemory({ random: { seed: 1, streams: { job: [1, 2, 3] } } }),
  "a stream of texts": withMemory({ random: { seed: 1, streams: { job: ["a", "b", "c", "d"] } } }),
  "no credentials": withMemory({ credentials: null }),
  "credentials that are numbers": withCredentials({ sandbox: { apiKey: 1, clientId: 2, clientSecret: 3 } }),
  "no other partner": withCredentials({ otherPartner: undefined }),
  "no webhook": withCredentials({ webhook: {} }),
  "an unknown key": withCredentials({ production: { apiKey: "sk_production_unknown" } }),
  "keys that are a record": withMemory({ keys: {} }),
  "no keys": withMemory({ keys: [] }),
  "a key without an owner": withMemory({ keys: [["0".repeat(64), null]] }),
  "a key of a third partner": ({ memory, ...rest }) =>
    withMemory({ keys: memory.keys.map(([digest, caller]) => [digest, { ...caller, partner: 3 }]) })({
      memory,
      ...rest,
    }),
  "a key of a third environment": ({ memory, ...rest }) =>
    withMemory({ keys: memory.keys.map(([digest, caller]) => [digest, { ...caller, environment: "x" }]) })({
      memory,
      ...rest,
    }),
  "no sinks": withMemory({ sinks: undefined }),
  "sinks that count texts": withMemory({ sinks: { kept: [], counts: [["x", "1"]] } }),
  "a sink's request without headers": withMemory({
    sinks: { kept: [{ ...sink, headers: null }], counts: [] },
  }),
  "a sink's request with a verdict of its own": withMemory({
    sinks: { kept: [{ ...sink, verdict: "fine" }], counts: [] },
  }),
  "no table": withTables(() => []),
  "a table less": withTables((tables) => tables.slice(1)),
  "a table twice": withTables((tables) => [...tables, ...tables.slice(-1)]),
  "tables in another order": withTables((tables) => tables.toReversed()),
  "a table that would be a statement": withTables((tables) =>
    tables.map((table) => ({ ...table, name: `${table.name}; DROP TABLE main.job` })),
  ),
  "columns that are none": withTables((tables) => tables.map((table) => ({ ...table, columns: 7 }))),
  "a key that is none": withTables((tables) => tables.map((table) => ({ ...table, key: null }))),
  "rows that are none": withTables((tables) => tables.map((table) => ({ ...table, rows: [[]] }))),
  "a row with a cell more": withTables((tables) =>
    tables.map((table) => ({ ...table, rows: table.rows.map((row) => [...row, 1]) })),
  ),
  "a cell that is a list": withCell("main.client", "name", [1]),
  "a cell that is true": withCell("main.client", "name", true),
  "a text where a number belongs": withCell("main.job", "created_at", "noon"),
  "a number where a text belongs": withCell("main.client", "name", 7),
  "a text where bytes belong": withCell("bulk.event", "body", "text"),
  "a fraction where a whole number belongs": withCell("main.job", "run_count", 0.5),
  "nothing where something belongs": withCell("main.client", "name", null),
  "a time beyond the year 9999": withCell("bulk.delivery", "created_at", 1e18),
  "a day beyond the year 9999": withCell("main.job", "as_of", 1e9),
  "a state that is none": withCell("main.job", "state", "dancing"),
  "a third environment": withCell("main.claim", "environment", "moon"),
  "something due of which nothing is known": withCell("bulk.agenda", "kind", "party.begin"),
};

describe("a document with the right hash", () => {
  it("is refused before any change if its content is invalid", async () => {
    const { sandbox, failures, snapshot } = await saved();
    const before = await textOf(sandbox);
    for (const [what, change] of Object.entries(NONSENSE)) {
      const document = [...writeSnapshot(change(snapshot) as Snapshot)].join("");
      await expect(sandbox.snapshots.import("bad", document), what).rejects.toMatchObject({
        code: "snapshot_damaged",
      });
      const answer = await call(sandbox, "/_sandbox/state", {
        ...{ method: "PUT", token: sandbox.controlToken, body: document },
        // One of the sandbox's own would be drawn from what is compared.
        headers: { "x-request-id": "mine" },
      });
      expect([answer.status, answer.body.code], what).toEqual([422, "validation_failed"]);
      await expect(startSandbox({ snapshot: document }), what).rejects.toMatchObject({
        code: "snapshot_damaged",
      });
      expect((await textOf(sandbox)) === before, what).toBe(true);
    }
    expect([failures, sandbox.snapshots.list()]).toEqual([[], []]);
    // What the changes began with is sound.
    await sandbox.snapshots.import("good", writeSnapshot(snapshot));
    await sandbox.snapshots.load("good");
    expect((await textOf(sandbox)) === before).toBe(true);
  });

  it("is refused if a line is invalid or misplaced", async () => {
    const sandbox = await sandboxForTest();
    const [head = "", memory = "", ...rest] = (await textOf(sandbox)).trimEnd().split("\n").slice(0, -1);
    const rows = rest.findIndex((line) => line.startsWith('{"rows"'));
    for (const lines of [
      [head, memory, ...rest.slice(rows)],
      [head, memory, '{"bytes":"AAAA"}', ...rest],
      [head, memory, "[]", ...rest],
      [head, memory, '{"rows":[1]}', ...rest],
      [head, memory, ...rest.with(rows, '{"rows":[1,null]}')],
      [head, memory, ...rest.with(rows, '{"rows":{"length":3}}')],
      [head, ...rest],
      [head.replace(/"takenAt":"[^"]*"/, '"takenAt":"noon"'), memory, ...rest],
      [head.replace(/"takenAt":"[^"]*"/, '"takenAt":{}'), memory, ...rest],
      [head.replace(/"takenAt":"[^"]*"/, '"takenAt":{"toString":1}'), memory, ...rest],
      [head, memory.replace("{", `{"more":${"[".repeat(20_000)}${"]".repeat(20_000)},`), ...rest],
    ])
      await expect(sandbox.snapshots.import("bad", hashed(lines))).rejects.toMatchObject({
        code: "snapshot_damaged",
      });
    await sandbox.snapshots.import("good", hashed([head, memory, ...rest]));
  });
});

/** The lines with a last one that has their hash. */
function hashed(lines: readonly string[]): string {
  const text = lines.map((line) => `${line}\n`).join("");
  const sha256 = createHash("sha256").update(text).digest("hex");
  return `${text}${JSON.stringify({ end: "claims-sandbox-snapshot", sha256 })}\n`;
}

describe("over the control API", () => {
  it("a large file of another kind is refused early, and the sender gets the response", async () => {
    const sandbox = await sandboxForTest();
    for (const path of ["/_sandbox/state", "/_sandbox/snapshots/x"]) {
      const answer = await call(sandbox, path, {
        ...{ method: "PUT", token: sandbox.controlToken },
        body: "not a snapshot\n".repeat(2_000_000),
      });
      expect([answer.status, answer.body.code]).toEqual([422, "validation_failed"]);
    }
  });

  it("a line beyond the limit is refused, and the sender gets the response", async () => {
    const sandbox = await sandboxForTest();
    const answer = await call(sandbox, "/_sandbox/state", {
      ...{ method: "PUT", token: sandbox.controlToken },
      body: Buffer.alloc(80_000_000, "x"),
    });
    expect([answer.status, answer.body.code]).toEqual([422, "validation_failed"]);
    expect(answer.body.detail).toContain("a line has more than");
  });

  it("a sender that hangs up in the middle is no error of the sandbox", async () => {
    const failures: unknown[] = [];
    const sandbox = await sandboxForTest({ onError: (error) => failures.push(error) });
    const text = await textOf(sandbox);
    const socket = connect(sandbox.port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(
      `PUT /_sandbox/state HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${sandbox.controlToken}\r\n` +
        `Content-Length: ${text.length}\r\n\r\n${text.slice(0, text.length / 2)}`,
    );
    socket.destroySoon();
    await once(socket, "close");
    await call(sandbox, "/_sandbox/health");
    expect(failures).toEqual([]);
    await submitAndSettle(sandbox);
  });

  it("a slow upload does not delay a reset", async () => {
    const sandbox = await sandboxForTest();
    const text = await textOf(sandbox);
    const request = rawRequest(sandbox, {
      ...{ method: "PUT", path: "/_sandbox/state" },
      headers: { ...bearer(sandbox.controlToken), "content-length": String(text.length) },
    });
    request.write(text.slice(0, 1_000));
    await submitAndSettle(sandbox);
    await sandbox.reset();
    expect((await call(sandbox, "/v1/clients")).status).toBe(200);
    request.end(text.slice(1_000));
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(200);
  });
});

it("concurrent saves keep at most a hundred snapshots", async () => {
  const sandbox = await sandboxForTest();
  const works = Array.from({ length: 120 }, (_, number) => sandbox.snapshots.save(`s-${number}`));
  const results = await Promise.allSettled(works);
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(100);
  expect(sandbox.snapshots.list()).toHaveLength(100);
});
