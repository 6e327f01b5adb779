import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../../../sandbox/index.ts";
import { respondWith, startReceiver } from "../../../../support/receiver.ts";
import { GOLDEN_TIME, sandboxForTest } from "../../../../support/sandbox.ts";
import {
  call,
  callControl,
  entriesCsv,
  ordinaryEntryNumber,
  partnerRequest,
  post,
  submissionForm,
  submitAndSettle,
  waitUntil,
} from "../../../../support/sandbox-requests.ts";
import { createCaller } from "../../../../support/webhook-caller.ts";

const exportText = async (sandbox: Sandbox) => [...(await sandbox.snapshots.export("now"))].join("");

/** Starts a sandbox that records its unexpected errors. */
async function startRecordingErrors(options: Parameters<typeof sandboxForTest>[0] = {}) {
  const failures: unknown[] = [];
  const sandbox = await sandboxForTest({ ...options, onError: (error) => failures.push(error) });
  return { sandbox, failures };
}

const createEntries = (count: number, from = 0) =>
  entriesCsv(Array.from({ length: count }, (_, serial) => ordinaryEntryNumber(from + serial)));

describe("a reset", () => {
  it.each(["application/json", "text/csv"])(
    "ends the download of a dataset as %s, also if a new job has the same number",
    { tags: "large" },
    async (accept) => {
      const { sandbox, failures } = await startRecordingErrors();
      const job = await submitAndSettle(sandbox, { file: createEntries(60_000) });
      const request = partnerRequest(sandbox, `GET /v1/diligence/dataset/${job}`, { accept });
      request.end();
      const [response] = (await once(request, "response")) as [IncomingMessage];
      await once(response, "readable");
      await sandbox.reset();
      // The next job gets the store number of the first one.
      await submitAndSettle(sandbox, { file: createEntries(1_000, 500_000) });
      const text: string[] = [];
      const all = (async () => {
        for await (const chunk of response.setEncoding("utf8")) text.push(chunk);
      })();
      await expect(all).rejects.toMatchObject({ code: "ECONNRESET" });
      expect(text.join("")).not.toContain(ordinaryEntryNumber(500_001));
      expect(failures).toEqual([]);
    },
  );

  it("during an upload lets the upload become a job of the new state", async () => {
    const { sandbox, failures } = await startRecordingErrors();
    await submitAndSettle(sandbox);
    const form = new Response(submissionForm());
    const bytes = Buffer.from(await form.arrayBuffer());
    const request = partnerRequest(sandbox, "POST /v1/diligence/submit", {
      "content-type": form.headers.get("content-type") ?? "",
      "content-length": String(bytes.length),
    });
    request.write(bytes.subarray(0, 300));
    await setTimeout(20);
    await sandbox.reset();
    request.end(bytes.subarray(300));
    const [response] = (await once(request, "response")) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(202);
    await sandbox.idle();
    expect((await callControl(sandbox, "GET", "/state")).body).toMatchObject({ jobs: { completed: 1 } });
    expect(failures).toEqual([]);
  });
});

it.each([
  ...["reset", "snapshots/seeded/load", "snapshots/mine"],
  ...["clock/freeze", "clock/unfreeze", "credentials/rotate"],
])("a receiver during its own delivery can request POST /%s", async (path) => {
  const { sandbox, failures } = await startRecordingErrors({ webhookTimeoutMs: 60_000 });
  await sandbox.snapshots.save("seeded");
  const statuses: number[] = [];
  const body = path === "credentials/rotate" ? { environment: "sandbox" } : {};
  const { url } = await startReceiver(async (delivery, response, count) => {
    if (count === 1) statuses.push((await callControl(sandbox, "POST", `/${path}`, body)).status);
    await respondWith(200)(delivery, response, count);
  });
  const { register, emit } = createCaller(sandbox);
  const { id: endpointId } = await register(url);
  await emit({ endpointId });
  await waitUntil(() => statuses.length > 0);
  expect(statuses).toEqual([200]);
  await sandbox.idle();
  await submitAndSettle(sandbox);
  expect(failures).toEqual([]);
});

it("a snapshot of another sandbox with an earlier time resets the windows of a rate limit", async () => {
  await using sandbox = await startSandbox({ frozenAt: GOLDEN_TIME, rateLimit: "1/10s" });
  await sandbox.snapshots.save("early");
  await sandbox.clock.advance("30d");
  expect((await call(sandbox, "/v1/clients")).status).toBe(200);
  expect((await call(sandbox, "/v1/clients")).status).toBe(429);
  await sandbox.snapshots.load("early");
  expect((await call(sandbox, "/v1/clients")).status).toBe(200);
  const refused = await call(sandbox, "/v1/clients");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
  sandbox.clock.unfreeze();
  sandbox.clock.freeze();
  await sandbox.clock.advance("10s");
  expect((await call(sandbox, "/v1/clients")).status).toBe(200);
});

it("a snapshot does not wait for an advance whose receiver does not respond", async () => {
  const { sandbox } = await startRecordingErrors({
    frozenAt: "2026-11-20T00:00:00Z",
    webhookRetries: "0,1h",
  });
  const held: ServerResponse[] = [];
  const receiver = await startReceiver((_, response, count) => {
    if (count === 1) held.push(response);
    else response.end();
  });
  await createCaller(sandbox).register(receiver.url);
  await sandbox.webhooks.emit({ type: "partner.test" });
  await waitUntil(() => held.length === 1);
  const advance = sandbox.clock.advance("1d");
  await post(sandbox, "/v1/clients", { name: "Acknowledged" });
  expect(await exportText(sandbox)).toContain("Acknowledged");
  held[0]?.end();
  expect(await advance).toMatchObject({ to: "2026-11-21T00:00:00.000Z" });
});
