// A lost response, a report, and a webhook after an outage, without a test runner: `node story.mjs`, `bun story.mjs`,
// `deno run --allow-all story.mjs`.
import assert from "node:assert/strict";
import { startSandbox } from "claims-toolkit/sandbox";
import { CSV, fetchReport, registerEndpoint, startReceiver, submit } from "./partner.mjs";

const sandbox = await startSandbox({ frozenAt: "2026-11-20T00:00:00Z" });
const service = { baseUrl: sandbox.url, apiKey: sandbox.credentials.sandbox.apiKey };

sandbox.faults.add("ghost-commit", { match: { operation: "diligence.submit" } });
await assert.rejects(submit(service, CSV, "key-1"));
const jobId = await submit(service, CSV, "key-1");
const { status, body } = await fetchReport(service, jobId);
assert.equal(status, 200);
assert.equal(body.jobId, jobId);
assert.equal((await sandbox.requests.list({ operation: "diligence.submit" })).length, 2);

const partner = await startReceiver();
const endpoint = await registerEndpoint(service, partner.url);
Object.assign(partner.state, { secret: endpoint.signingSecret, isDown: true });
const { eventId } = await sandbox.webhooks.emit({ type: "partner.test", endpointId: endpoint.id });
await sandbox.idle();
partner.state.isDown = false;
await sandbox.clock.advance("3d");
assert.deepEqual(partner.handled, [eventId]);
await partner.close();

const snapshot = [...(await sandbox.snapshots.export("now"))].join("");
await sandbox.reset();
assert.equal((await fetchReport(service, jobId)).status, 404);
await sandbox.snapshots.import("later", snapshot);
await sandbox.reset("later");
assert.equal((await fetchReport(service, jobId)).status, 200);

await sandbox.close();
console.log("a lost response, a webhook after an outage of three days, and a snapshot");
