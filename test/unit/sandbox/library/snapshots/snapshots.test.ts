import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { startHostedSandbox } from "../../../../../sandbox/start.ts";
import { startReceiver } from "../../../../support/receiver.ts";
import { createClaim } from "../../../../support/sample-claims.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import {
  call,
  callControl,
  post,
  readFixture,
  readJob,
  requestAccessToken,
  submissionForm,
  submit,
  submitAndSettle,
} from "../../../../support/sandbox-requests.ts";
import { createCaller } from "../../../../support/webhook-caller.ts";

/** A write whose response is kept for its key. */
const postKept = (sandbox: Sandbox) =>
  post(sandbox, "/v1/clients", { name: "Kept, Inc." }, { headers: { "idempotency-key": "k-1" } });

/** Creates a job with a report, a claim, an offer, webhooks and an idempotent response. */
async function createActivity(sandbox: Sandbox): Promise<void> {
  const claimId = await createClaim(sandbox);
  await post(sandbox, "/v1/offers", { claimId });
  await postKept(sandbox);
  await sandbox.webhooks.emit({ type: "partner.test" });
  await sandbox.idle();
}

const LISTS = ["/v1/clients", "/v1/claims", "/v1/offers", "/v1/revenue/ledger", "/v1/webhook-deliveries"];

const readEverything = async (sandbox: Sandbox) => ({
  lists: await Promise.all(LISTS.map(async (path) => (await call(sandbox, path)).text)),
  sink: await sandbox.webhooks.sink(),
  agenda: sandbox.clock.agenda(),
  now: sandbox.clock.now(),
});

const exportText = async (sandbox: Sandbox, name = "now") =>
  [...(await sandbox.snapshots.export(name))].join("");

describe("a snapshot of a sandbox", () => {
  it("restores all data, including the next ids", async () => {
    const sandbox = await sandboxForTest();
    await createActivity(sandbox);
    const before = await readEverything(sandbox);
    await sandbox.snapshots.save("before");
    const next = async () => (await post(sandbox, "/v1/clients", { name: "Next, Inc." })).text;
    const first = await next();
    await sandbox.clock.advance("2h");
    await sandbox.webhooks.emit({ type: "partner.test" });
    expect(await readEverything(sandbox)).not.toEqual(before);
    await sandbox.snapshots.load("before");
    expect(await readEverything(sandbox)).toEqual(before);
    expect(await next()).toBe(first);
    const replayed = await postKept(sandbox);
    expect(replayed.headers.get("idempotent-replayed")).toBe("true");
  });

  it("can be the start of another sandbox with another seed and port", async () => {
    const one = await sandboxForTest();
    await createActivity(one);
    const token = await requestAccessToken(one);
    await using other = await startHostedSandbox({ seed: 77, snapshot: await exportText(one) });
    expect(other.credentials).toEqual(one.credentials);
    expect(other.clock.frozen).toBe(true);
    const [endpoint] = await other.webhooks.endpoints();
    expect(endpoint?.url).toBe(`${other.url}/_sandbox/sink/default`);
    const { lists, agenda } = await readEverything(other);
    expect({ lists, agenda }).toMatchObject({
      lists: (await readEverything(one)).lists,
      agenda: one.clock.agenda(),
    });
    const response = await call(other, "/v1/clients", { token });
    expect(response.status).toBe(200);
    await other.webhooks.emit({ type: "partner.test" });
    await other.idle();
    expect((await other.webhooks.sink()).at(-1)).toMatchObject({ verdict: "valid" });
  });

  it("contains files that no job has read yet", async () => {
    const one = await sandboxForTest({ jobSpeed: "real" });
    const file = readFixture("sample_entries.csv");
    const job = String((await submit(one, submissionForm({ file }))).body.jobId);
    const text = await exportText(one);
    await using other = await startHostedSandbox({ jobSpeed: "real", snapshot: text });
    for (const sandbox of [one, other]) await sandbox.clock.advance("idle");
    const report = await readJob(other, "report", job);
    expect(report.status).toBe(200);
    expect(report.text).toBe((await readJob(one, "report", job)).text);
  });

  it("contains a delivery in flight as not started", async () => {
    let isHanging = true;
    const { url, requests } = await startReceiver((_delivery, response) => {
      if (!isHanging) response.writeHead(200).end();
    });
    const sandbox = await sandboxForTest();
    const { register, emit } = createCaller(sandbox);
    const { id: endpointId } = await register(url);
    await emit({ endpointId });
    await expect.poll(() => requests.length).toBe(1);
    await sandbox.snapshots.save("held");
    isHanging = false;
    await sandbox.snapshots.load("held");
    await sandbox.idle();
    expect(requests).toHaveLength(2);
    expect(requests[1]?.headers).toEqual(requests[0]?.headers);
    expect(await sandbox.webhooks.deliveries({ endpointId })).toMatchObject([
      { status: "delivered", attemptCount: 1 },
    ]);
  });

  it("keeps the offset of a running clock to the wall clock", async () => {
    let wall = Date.parse("2026-11-20T00:00:00Z");
    await using sandbox = await startHostedSandbox({}, { now: () => wall });
    await sandbox.clock.advance("1h");
    await sandbox.snapshots.save("then");
    await sandbox.clock.advance("1d");
    wall += 60_000;
    await sandbox.snapshots.load("then");
    expect(sandbox.clock.now()).toBe("2026-11-20T01:01:00.000Z");
  });

  it("needs a valid name", async () => {
    const sandbox = await sandboxForTest();
    for (const name of ["", "now", "a/b", "x".repeat(65)])
      await expect(sandbox.snapshots.save(name)).rejects.toMatchObject({ code: "option_invalid" });
    await expect(sandbox.snapshots.load("none")).rejects.toMatchObject({ code: "snapshot_not_found" });
  });
});

describe("an invalid snapshot document", () => {
  it("changes nothing when it is truncated or altered at any place", async () => {
    const sandbox = await sandboxForTest();
    await createActivity(sandbox);
    const text = await exportText(sandbox);
    const before = await readEverything(sandbox);
    const lines = text.split("\n");
    const corrupted = fc.oneof(
      fc.integer({ min: 0, max: text.length - 2 }).map((at) => text.slice(0, at)),
      fc.integer({ min: 0, max: lines.length - 2 }).map((at) => lines.toSpliced(at, 1).join("\n")),
      fc.integer({ min: 0, max: text.length - 2 }).map((at) => {
        const other = text[at] === "7" ? "8" : "7";
        return text.slice(0, at) + other + text.slice(at + 1);
      }),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(corrupted, async (document) => {
        await expect(sandbox.snapshots.import("corrupted", document)).rejects.toMatchObject({
          code: "snapshot_invalid",
        });
      }),
      { numRuns: 200 },
    );
    expect(await readEverything(sandbox)).toEqual(before);
    expect(sandbox.snapshots.list()).toEqual([]);
  });

  it("is refused by a sandbox that others can reach if its credentials follow from a seed", async () => {
    const seeded = await exportText(await sandboxForTest());
    await expect(startHostedSandbox({ host: "0.0.0.0", snapshot: seeded })).rejects.toMatchObject({
      code: "snapshot_invalid",
    });
    await using one = await startHostedSandbox({ host: "0.0.0.0" });
    await using other = await startHostedSandbox({ host: "0.0.0.0", snapshot: await exportText(one) });
    expect(other.credentials).toEqual(one.credentials);
  });
});

describe("sandbox.reset", () => {
  it("restores the initial state, so that the same calls give the same bytes", async () => {
    const sandbox = await sandboxForTest();
    const runCalls = async () => {
      await createActivity(sandbox);
      await sandbox.clock.advance("3d");
      return readEverything(sandbox);
    };
    const { credentials } = sandbox;
    const first = await runCalls();
    await sandbox.reset();
    expect(sandbox.clock.now()).toBe("2026-11-20T00:00:00.000Z");
    expect(await sandbox.webhooks.sink()).toEqual([]);
    expect(sandbox.credentials).toEqual(credentials);
    expect(await runCalls()).toEqual(first);
  });

  it("reverts a rotated key, or restores a named snapshot", async () => {
    const sandbox = await sandboxForTest();
    const { apiKey } = sandbox.credentials.sandbox;
    await callControl(sandbox, "POST", "/credentials/rotate", { environment: "sandbox" });
    const rotated = sandbox.credentials.sandbox.apiKey;
    await sandbox.snapshots.save("rotated");
    await sandbox.reset();
    expect(sandbox.credentials.sandbox.apiKey).toBe(apiKey);
    expect((await call(sandbox, "/v1/clients", { token: rotated })).status).toBe(401);
    expect((await callControl(sandbox, "POST", "/reset", { to: "rotated" })).body).toMatchObject({
      credentials: { sandbox: { apiKey: rotated } },
    });
    expect((await call(sandbox, "/v1/clients", { token: rotated })).status).toBe(200);
    expect((await callControl(sandbox, "POST", "/reset")).body).toMatchObject({
      credentials: { sandbox: { apiKey } },
    });
    expect((await callControl(sandbox, "POST", "/reset", { to: 7 })).status).toBe(422);
    expect((await callControl(sandbox, "POST", "/reset", { too: "x" })).status).toBe(422);
    expect((await callControl(sandbox, "POST", "/reset", { to: "none" })).status).toBe(404);
  });

  it("ends deliveries, jobs and an advance in progress", async () => {
    const { url, requests } = await startReceiver(() => undefined);
    const sandbox = await sandboxForTest({ webhookTimeoutMs: 60_000 });
    const { register, emit } = createCaller(sandbox);
    const { id: endpointId } = await register(url);
    await emit({ endpointId });
    await submit(sandbox, submissionForm({ file: readFixture("sample_entries.csv") }));
    const advance = sandbox.clock.advance("1d");
    const refused = expect(advance).rejects.toMatchObject({ code: "clock_interrupted" });
    await expect.poll(() => requests.length).toBe(1);
    await sandbox.reset();
    await refused;
    expect(sandbox.clock.agenda()).toEqual([]);
    expect((await call(sandbox, "/v1/webhook-deliveries")).body.data).toEqual([]);
    await submitAndSettle(sandbox);
    expect((await sandbox.clock.advance("1h")).to).toBe("2026-11-20T01:00:00.000Z");
  });
});

it("an export that is read while the sandbox changes has the state of one moment, as another export at the same time has, and counts as no change", async () => {
  const sandbox = await sandboxForTest();
  await submitAndSettle(sandbox);
  const before = [...(await sandbox.snapshots.export("now"))].join("");
  const revision = sandbox.snapshots.revision();
  const [first, second] = [await sandbox.snapshots.export("now"), await sandbox.snapshots.export("now")];
  expect(sandbox.snapshots.revision()).toBe(revision);
  const reader = first[Symbol.iterator]();
  const [head] = [String(reader.next().value)];
  await post(sandbox, "/v1/clients", { name: "Later, Inc.", importerNumber: "98-7654321" });
  await sandbox.reset();
  expect(head + [...{ [Symbol.iterator]: () => reader }].join("")).toBe(before);
  expect([...second].join("")).toBe(before);
});

/** In many lines, and in one that a reader could take for JSON that goes on. */
const LONG_DOCUMENTS = ["not a snapshot\n", "[", '{"a":'].map((piece) => piece.repeat(2_000_000));

it("a snapshot upload over the control API is refused early if it is another kind of file, and the client gets the response", async () => {
  const sandbox = await sandboxForTest();
  for (const path of ["/_sandbox/state", "/_sandbox/snapshots/x"])
    for (const body of ["", "{}", readFixture("openapi.json"), ...LONG_DOCUMENTS]) {
      const response = await call(sandbox, path, {
        ...{ method: "PUT", token: sandbox.controlToken, body: body as string },
      });
      expect([response.status, response.body.code]).toEqual([422, "validation_failed"]);
      expect(response.body.detail).toContain("not a snapshot of a sandbox");
    }
});
