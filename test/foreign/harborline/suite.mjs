// 20 calls of a program of a partner, written from the documentation of Harborline: its README, choices.json and server.mjs.
// CLAIMS_BASE_URL=… CLAIMS_API_KEY=… node suite.mjs   exit 0: all passed; 1: the first call that failed, on stderr.
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { entriesOf } from "../record.mjs";

const { CLAIMS_BASE_URL: url, CLAIMS_API_KEY: key } = process.env;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function send(method, path, { json, form, headers = {}, credential = key } = {}) {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${credential}`,
      ...(json && { "content-type": "application/json" }),
      ...headers,
    },
    body: json ? JSON.stringify(json) : form,
  });
  return { status: response.status, ...(await response.json()) };
}

function submission(seller) {
  const form = new FormData();
  form.set("seller_name", seller);
  form.set("requires_protest_documentation", "true");
  form.set("file", new File([entriesOf([])], "entries.csv", { type: "text/csv" }));
  return form;
}

const isTime = (value) => assert.ok(Number.isInteger(value) && value > 1.7e12, `${value} is not a time in milliseconds`);

function refuses({ status, problem }, expected, word) {
  assert.equal(status, expected);
  assert.equal(problem.key, word);
  assert.equal(typeof problem.text, "string");
}

const known = {};

const CALLS = {
  async "a client of OAuth that is not known"() {
    const form = new URLSearchParams({ grant_type: "client_credentials", client_id: "x", client_secret: "y" });
    refuses(await send("POST", "/v1/oauth/token", { form }), 403, "bad-client");
  },
  async "a wrong credential"() {
    refuses(await send("GET", "/v1/clients", { credential: "mistyped" }), 403, "who-are-you");
  },
  async "create a client"() {
    const { status, payload } = await send("POST", "/v1/clients", { json: { name: "Probe Ltd", importerNo: "11-2222222" } });
    assert.equal(status, 201);
    assert.match(payload.client.number, UUID);
    assert.equal(payload.client.name, "Probe Ltd");
    assert.equal(payload.client.importerNo, "11-2222222");
    isTime(payload.client.opened);
    known.client = payload.client.number;
  },
  async "create another client"() {
    const { status } = await send("POST", "/v1/clients", { json: { name: "Other Ltd" } });
    assert.equal(status, 201);
  },
  async "create a client without a name"() {
    refuses(await send("POST", "/v1/clients", { json: {} }), 409, "name-missing");
  },
  async "the clients"() {
    const { status, payload } = await send("GET", "/v1/clients?n=50");
    assert.equal(status, 200);
    assert.equal(payload.clients[known.client].number, known.client);
    assert.equal(payload.clients[known.client].name, "Probe Ltd");
    assert.equal(payload.paging.p, 1);
  },
  async "a page of one client"() {
    const { payload } = await send("GET", "/v1/clients?p=1&n=1");
    known.first = Object.keys(payload.clients);
    assert.equal(known.first.length, 1);
    assert.ok(payload.paging.pages >= 2);
  },
  async "the page after it"() {
    const { payload } = await send("GET", "/v1/clients?p=2&n=1");
    assert.equal(Object.keys(payload.clients).length, 1);
    assert.notDeepEqual(Object.keys(payload.clients), known.first);
    assert.equal(payload.paging.p, 2);
  },
  async "submit a file"() {
    const headers = { "idempotency-key": "suite-1" };
    const { status, payload } = await send("POST", "/v1/diligence/submit", { form: submission("Acme Imports"), headers });
    assert.equal(status, 202);
    assert.match(payload.job.number, UUID);
    assert.equal(payload.job.progress.label, "accepted");
    known.job = payload.job.number;
  },
  async "submit it again with the same key"() {
    const headers = { "idempotency-key": "suite-1" };
    const { payload } = await send("POST", "/v1/diligence/submit", { form: submission("Acme Imports"), headers });
    assert.equal(payload.job.number, known.job);
  },
  async "submit without a seller"() {
    refuses(await send("POST", "/v1/diligence/submit", { form: submission("") }), 409, "part-missing");
  },
  async "the status until the job is settled"() {
    for (let read = 0; read < 50; read += 1) {
      const { status, payload } = await send("GET", `/v1/diligence/status/${known.job}`);
      assert.equal(status, 200);
      assert.equal(payload.job.seller, "Acme Imports");
      assert.equal(typeof payload.job.fee.value, "number");
      if (payload.job.progress.label === "settled") return isTime(payload.job.closed);
      assert.match(payload.job.progress.label, /^(accepted|analysing)$/);
      await setTimeout(20);
    }
    assert.fail("the job is not settled");
  },
  async "the report"() {
    const { status, payload } = await send("GET", `/v1/diligence/report/${known.job}`);
    assert.equal(status, 200);
    assert.equal(payload.report.job, known.job);
    assert.equal(payload.report.rf8Review.verdict, "eligible");
    assert.equal(typeof payload.report.sums.refundable.value, "number");
  },
  async "the dataset"() {
    const { status, payload } = await send("GET", `/v1/diligence/dataset/${known.job}`);
    assert.equal(status, 200);
    assert.equal(payload.dataset.job, known.job);
    for (const { line, entry } of payload.dataset.lines) assert.deepEqual([typeof line, typeof entry], ["number", "string"]);
    assert.ok(payload.dataset.lines.length > 0);
  },
  async "resume a settled job"() {
    refuses(await send("POST", `/v1/diligence/jobs/${known.job}/resume`), 409, "nothing-to-resume");
  },
  async "the status of a job that is not known"() {
    refuses(await send("GET", "/v1/diligence/status/5a0d3c1e-7f24-4b68-9d1a-2c3b4a5d6e7f"), 404, "unknown-job");
  },
  async "create a hook"() {
    const json = { label: "Suite", url: "http://127.0.0.1:9/", subscribedEvents: ["partner.test"], environmentScope: "sandbox" };
    const { status, payload } = await send("POST", "/v1/webhooks/endpoints", { json });
    assert.equal(status, 200);
    assert.match(payload.hook.id, UUID);
    assert.equal(payload.hook.status, "active");
    assert.equal(typeof payload.secrets.signingSecret, "string");
    known.hook = payload.hook.id;
  },
  async "the hooks"() {
    const { payload } = await send("GET", "/v1/webhooks/endpoints");
    assert.ok(payload.hooks.some(({ id, label }) => id === known.hook && label === "Suite"));
    assert.equal(payload.paging, undefined);
    assert.doesNotMatch(JSON.stringify(payload), /signingSecret/);
  },
  async "a test event"() {
    const json = { eventType: "partner.test", environment: "sandbox" };
    const { status, payload } = await send("POST", "/v1/sandbox/webhooks/test", { json });
    assert.equal(status, 200);
    for (const { raw, headers } of payload.preview.sent) {
      assert.equal(typeof raw, "string");
      assert.match(headers["X-Service-Signature"], /^[0-9a-f]{64}$/);
    }
  },
  async "the deliveries of the hook"() {
    const { payload } = await send("GET", `/v1/webhook-deliveries?hook=${known.hook}`);
    assert.ok(payload.deliveries.length > 0);
    for (const { number, hook, event } of payload.deliveries) {
      assert.match(number, UUID);
      assert.equal(hook, known.hook);
      assert.equal(typeof event, "string");
    }
  },
};

const names = Object.keys(CALLS);
for (const [index, name] of names.entries()) {
  try {
    await CALLS[name]();
  } catch (error) {
    console.error(`call ${index + 1}, ${name}: ${error.message}`);
    process.exit(1);
  }
}
console.log(`${names.length} calls passed`);
