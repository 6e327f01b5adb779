// A client that relies on assumptions: it treats the usual responses of the sandbox as part of the interface. Prints one
// line per assumption that does not hold, and then exits 1.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

/** @typedef {Record<string, any>} Json */

const { CLAIMS_BASE_URL: baseUrl, CLAIMS_API_KEY: key } = process.env;

/**
 * @param {string} method
 * @param {string} path
 * @param {{ type: string, body: string }} [content]
 */
async function send(method, path, content) {
  const headers = { authorization: `Bearer ${key}`, ...(content && { "content-type": content.type }) };
  const [response] = await once(request(baseUrl + path, { method, headers }).end(content?.body), "response");
  const body = await text(response);
  return {
    status: /** @type {number} */ (response.statusCode),
    location: /** @type {string} */ (response.headers.location ?? ""),
    json: () => /** @type {Json} */ (JSON.parse(body)),
  };
}

/** @param {string} path */
const get = (path) => send("GET", path);

/**
 * @param {string} path
 * @param {object} json
 */
const post = (path, json) => send("POST", path, { type: "application/json", body: JSON.stringify(json) });

const BOUNDARY = "----assumption-client";

/**
 * @param {string} disposition
 * @param {string} value
 */
const part = (disposition, value) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`;

async function submitSample() {
  const file = readFileSync(new URL("../../fixtures/sample_entries.csv", import.meta.url), "utf8");
  const response = await send("POST", "/v1/diligence/submit", {
    type: `multipart/form-data; boundary=${BOUNDARY}`,
    body: [
      part('name="seller_name"', "Harbor & Pine Trading, LLC"),
      part('name="requires_protest_documentation"', "false"),
      part('name="file"; filename="entries.csv"\r\nContent-Type: text/csv', file),
      `--${BOUNDARY}--\r\n`,
    ].join(""),
  });
  return { job: response.json(), location: response.location };
}

/** @param {string} location */
async function waitForCompletion(location) {
  for (let tries = 0; tries < 30; tries++) {
    const { job, state = job?.state } = (await get(location)).json();
    if (state === "completed") return;
    await sleep(10);
  }
  throw new Error("the job is not completed");
}

/** Registers a receiver, requests a test event, and returns the delivery. */
async function receiveDelivery() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const got = once(server, "request").then(async ([request, response]) => {
    const body = await text(request);
    response.end();
    return { headers: request.headers, rawHeaders: request.rawHeaders, body };
  });
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const endpoint = {
    label: "assumptions",
    url: `http://127.0.0.1:${port}`,
    subscribedEvents: ["partner.test"],
  };
  const webhook = (await post("/v1/webhooks/endpoints", { ...endpoint, environmentScope: "sandbox" })).json();
  const event = { eventType: "partner.test", environment: "sandbox", endpointId: webhook.id };
  await post("/v1/sandbox/webhooks/test", event);
  const delivery = await got;
  server.close();
  return { ...delivery, secret: webhook.signingSecret };
}

const JOB_FIELDS =
  "asOf createdAt environment failure fileBytes fileName finishedAt jobId progress requiresProtestDocumentation runCount sellerName startedAt state";

const { job, location } = await submitSample();
const { headers, rawHeaders, body, secret } = await receiveDelivery();
const one = await post("/v1/clients", { name: "One" });
const other = (await post("/v1/clients", { name: "Other" })).json();
const record = job.job ?? job;

/** The assumptions, by the grease dimension that varies them. @type {Record<string, () => unknown>} */
const ASSUMPTIONS = {
  jobIdField: async () =>
    assert.equal((await get(`/v1/diligence/status/${job.jobId}`)).status, 200, "unknown job"),
  stateName: () => waitForCompletion(location),
  unknownFields: () =>
    assert.deepEqual(
      Object.keys(record).filter((name) => !JOB_FIELDS.includes(name) && name !== "job_id"),
      [],
      "unknown fields",
    ),
  timestampFormat: () => {
    assert.match(String(record.createdAt), /Z$/, "createdAt is not in UTC");
    assert.ok(
      Math.abs(Date.now() / 1000 - Number(headers["x-service-timestamp"])) < 300,
      "the timestamp is too old",
    );
  },
  payloadForm: () => {
    const base = `${headers["x-service-timestamp"]}.${JSON.stringify(JSON.parse(body))}`;
    assert.equal(
      headers["x-service-signature"],
      createHmac("sha256", secret).update(base).digest("hex"),
      "the signature does not match",
    );
    assert.match(body, /"id".*"data"/, "the id is not before the data");
  },
  listOrder: async () => {
    const list = (await get("/v1/clients")).json();
    const items = list.data ?? list.items ?? list.results ?? list;
    assert.equal(items[0].name, other.name, "the newest is not the first");
  },
  listEnvelope: async () => {
    const { data, nextCursor } = (await get("/v1/clients?limit=1")).json();
    assert.equal(data.length, 1);
    assert.equal(typeof nextCursor, "string", "nextCursor is missing");
  },
  headerCase: () => assert.ok(rawHeaders.includes("X-Service-Signature"), "the signature header is missing"),
  errorShape: async () =>
    assert.equal(
      (await get("/v1/diligence/status/none")).json().code,
      "job_not_found",
      "unexpected error code",
    ),
  successStatus: () => assert.equal(one.status, 201, "expected status 201"),
};

for (const [name, check] of Object.entries(ASSUMPTIONS)) {
  try {
    await check();
  } catch (error) {
    process.stdout.write(`${name}: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
