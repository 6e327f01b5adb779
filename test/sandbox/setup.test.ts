import { expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../sandbox/index.ts";
import { GOLDEN_TIME } from "../support/sandbox.ts";
import {
  call,
  entriesCsv,
  entryNumber,
  post,
  readJob,
  submissionForm,
  submit,
} from "../support/sandbox-requests.ts";

const ENTRIES = entriesCsv([entryNumber("ZZ9", 1)]);

/** A client, an endpoint with one delivery, a job that has ended and one that is due, a fault rule and a later time. */
async function setup(sandbox: Sandbox): Promise<void> {
  await post(sandbox, "/v1/clients", { name: "Blue Anchor Tools, Inc.", importerNumber: "98-7654321" });
  await post(sandbox, "/v1/webhooks/endpoints", {
    label: "mine",
    url: `${sandbox.url}/_sandbox/sink/mine`,
    subscribedEvents: ["partner.test"],
    environmentScope: "sandbox",
  });
  await submit(sandbox, submissionForm({ file: ENTRIES }));
  await sandbox.clock.advance("1h");
  await sandbox.webhooks.emit({ type: "partner.test" });
  await submit(sandbox, submissionForm({ file: ENTRIES }));
  sandbox.faults.add("outage", { match: { operation: "offers.list" } });
}

const readState = async (sandbox: Sandbox) => ({
  now: sandbox.clock.now(),
  agenda: sandbox.clock.agenda(),
  clients: (await call(sandbox, "/v1/clients")).text,
  endpoints: await sandbox.webhooks.endpoints(),
  deliveries: await sandbox.webhooks.deliveries(),
  sink: (await sandbox.webhooks.sink("mine")).length,
  credentials: sandbox.credentials,
  faults: sandbox.faults.list(),
  requests: (await sandbox.requests.list()).map(({ number, target }) => [number, target]),
});

it("startSandbox({ setup }) starts with a state of its own, and reset() returns to it", async () => {
  await using sandbox = await startSandbox({ frozenAt: GOLDEN_TIME, jobSpeed: "real", setup });
  const start = await readState(sandbox);
  expect(start).toMatchObject({
    now: "2026-11-20T01:00:00.000Z",
    clients: expect.stringContaining("Blue Anchor"),
    sink: 1,
    faults: [{ preset: "outage", matched: 0 }],
    requests: [[1, "/v1/clients"]],
  });
  expect(start.agenda.map(({ kind }) => kind)).toEqual(["job.start"]);
  for (let round = 0; round < 2; round += 1) {
    await sandbox.clock.advance("3d");
    await post(sandbox, "/v1/clients", { name: "Paper Lantern Imports, LLC" });
    await call(sandbox, "/v1/offers");
    sandbox.faults.clear();
    sandbox.faults.add("slow", { match: { operation: "offers.list" } });
    await sandbox.reset();
    expect(await readState(sandbox)).toEqual(start);
    const { body } = await submit(sandbox, submissionForm({ file: ENTRIES }));
    await sandbox.clock.advance("idle");
    expect((await readJob(sandbox, "status", String(body.jobId))).body.state).toBe("completed");
    await sandbox.reset();
  }
});

it("setup finds the state of a snapshot", async () => {
  await using source = await startSandbox({ frozenAt: GOLDEN_TIME });
  await post(source, "/v1/clients", { name: "Paper Lantern Imports, LLC" });
  const snapshot = [...(await source.snapshots.export("now"))].join("");
  await using sandbox = await startSandbox({
    snapshot,
    setup: (each) => post(each, "/v1/clients", { name: "Blue Anchor Tools, Inc." }),
  });
  await post(sandbox, "/v1/clients", { name: "Third, Inc." });
  await sandbox.reset();
  const { text } = await call(sandbox, "/v1/clients");
  expect(text).toMatch(/Blue Anchor.*Paper Lantern/);
  expect(text).not.toContain("Third");
});

it("startSandbox rejects with the error of setup, and leaves no server", async () => {
  let url = "";
  const failing = startSandbox({
    setup: async (sandbox) => {
      ({ url } = sandbox);
      throw new Error("no fixture");
    },
  });
  await expect(failing).rejects.toThrow("no fixture");
  await expect(fetch(url)).rejects.toThrow();
});
