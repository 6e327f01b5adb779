// 20 calls of a partner's program in the names of one service, by its truth.json: FILE. It does not know this tool.
// CLAIMS_BASE_URL=… CLAIMS_API_KEY=… node suite.mjs FILE   exit 0: all passed; 1: the first call that failed, on stderr.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { at, createReader, findDeep } from "./reader.mjs";

const { CLAIMS_BASE_URL: url, CLAIMS_API_KEY: key } = process.env;
const { mapping } = JSON.parse(readFileSync(process.argv[2]));
const { send, readIds, readSubmittedId } = createReader(url, key, mapping);
const csv = readFileSync(new URL("files/clean.csv", import.meta.url));

const isRefused = ({ status }) => assert.ok(status >= 400 && status < 500, `status ${status}`);
const isSuccess = ({ status }) => assert.ok(status >= 200 && status < 300, `status ${status}`);
const known = {};

function refusesWithText(response) {
  isRefused(response);
  const message = mapping["error.message"] ?? "detail";
  const text = message === "" ? response.text : at(response.json, message);
  assert.ok(typeof text === "string" && text.length > 0, `no message at ${message}`);
  if (mapping["error.code"]) assert.notEqual(at(response.json, mapping["error.code"]), undefined);
}

const readList = (name) => async () => {
  known[name] = await readIds(name);
  assert.equal(new Set(known[name]).size, known[name].length, `an id of ${name} twice`);
};

const CALLS = {
  "a wrong credential": async () => isRefused(await send("GET", "/v1/clients", { credential: "mistyped" })),
  "a job that does not exist": async () =>
    refusesWithText(await send("GET", "/v1/diligence/status/0b5e7c1a-1111-4222-a333-444455556666")),
  "the clients": readList("clients"),
  "the claims": readList("claims"),
  "the offers": readList("offers"),
  "the ledger": readList("ledger"),
  "the endpoints": readList("endpoints"),
  "the deliveries": readList("deliveries"),
  "create an endpoint": async () => {
    const json = { label: "suite", url: "http://127.0.0.1:9/", subscribedEvents: ["partner.test"], environmentScope: "sandbox" };
    const response = await send("POST", "/v1/webhooks/endpoints", { json });
    isSuccess(response);
    assert.match(findDeep(response.json, "signingSecret"), /\S{8,}/);
  },
  "the endpoints with the new one": async () =>
    assert.equal((await readIds("endpoints")).length, known.endpoints.length + 1),
  "a test event": async () =>
    isSuccess(await send("POST", "/v1/sandbox/webhooks/test", { json: { eventType: "partner.test", environment: "sandbox" } })),
  "the deliveries with the event": async () =>
    assert.ok((await readIds("deliveries")).length >= known.deliveries.length),
  "a claim that does not exist": async () =>
    isRefused(await send("GET", "/v1/claims/status?claimId=0b5e7c1a-1111-4222-a333-444455556666")),
  submit: async () => {
    const form = new FormData();
    form.set("seller_name", "Harbor & Pine Trading, LLC");
    form.set("requires_protest_documentation", "false");
    form.set("file", new File([csv], "clean.csv", { type: "text/csv" }));
    const response = await send("POST", "/v1/diligence/submit", { form });
    assert.equal(response.status, 202);
    known.job = readSubmittedId(response);
    assert.match(known.job, /\S/);
  },
  "the status of the job": async () => {
    const { json } = await send("GET", `/v1/diligence/status/${known.job}`);
    assert.equal(String(at(json, mapping["job.id"])).toLowerCase(), known.job.toLowerCase());
  },
  "the status until the job is completed": async () => {
    for (let poll = 0; poll < 50; poll += 1) {
      const { json } = await send("GET", `/v1/diligence/status/${known.job}`);
      const word = at(json, mapping["job.state"]);
      if (mapping["job.words"][word] === "completed") return;
      await setTimeout(20);
    }
    assert.fail("it does not end");
  },
  "the report": async () => {
    const { json } = await send("GET", `/v1/diligence/report/${known.job}`);
    const report = at(json, mapping.report ?? "");
    assert.equal(typeof findDeep(report, "rf8Review"), "object");
  },
  "the dataset": async () => {
    const { json, text } = await send("GET", `/v1/diligence/dataset/${known.job}`);
    const rows = mapping["dataset.rows"] ? at(json, mapping["dataset.rows"]) : text.trim().split("\n");
    assert.ok(rows.length >= 1 && Array.isArray(rows), "no rows");
  },
  "resume a job that is completed": async () =>
    isRefused(await send("POST", `/v1/diligence/jobs/${known.job}/resume`, {})),
  "the report of a job that does not exist": async () =>
    isRefused(await send("GET", "/v1/diligence/report/0b5e7c1a-1111-4222-a333-444455556666")),
};

let count = 0;
for (const [name, call] of Object.entries(CALLS)) {
  count += 1;
  try {
    await call();
  } catch (error) {
    console.error(`call ${count}, ${name}: ${error.message}`);
    process.exit(1);
  }
}
console.log(`${count} calls passed`);
