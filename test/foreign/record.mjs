// The ordinary traffic of a partner with a service, recorded as a HAR: what it reads and writes in a day, and the errors that it meets.
import { createServer } from "node:http";

const HEAD =
  "entry_number,entry_type_code,importer_number,importer_name,entry_date,entry_summary_date," +
  "country_of_origin_code,entered_value,ieepa_duty_paid,liquidation_status,liquidation_date\n";
const IMPORTERS = [
  { name: "Larch Textiles Inc", number: "41-2033617" },
  { name: "Mica Hand Tools Inc", number: "58-7120946" },
];
const UUIDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
const NOT_THERE = "5a0d3c1e-7f24-4b68-9d1a-2c3b4a5d6e7f";
const EVENTS = ["partner.test", "partner.capability.changed"];

/** A CSV of entries for both importers; a number with SBX-1 or SBX-3 makes the job end partial or failed. */
export function entriesOf(numbers) {
  const all = ["SBX-5000001-4", "SBX-5000002-2", ...numbers];
  const rows = all.map((number, index) => {
    const importer = IMPORTERS[index % IMPORTERS.length];
    return `${number},01,${importer.number},${importer.name},2025-11-10,,VN,10000.00,2000.00,LIQUIDATED,2026-10-02\n`;
  });
  return HEAD + rows.join("");
}

/** A value of a place of `drive.json`: `result.clients.0.reference`, or the first key there. */
function pick({ headers, json }, { path = "", header, key }) {
  if (header) return headers.get(header)?.split("/").at(-1);
  const found = path.split(".").reduce((value, name) => value?.[name], json);
  return key ? Object.keys(found ?? {})[0] : found;
}

const fill = (value, values) =>
  JSON.parse(JSON.stringify(value).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole));

/** Calls a service, and keeps each exchange as an entry of a HAR. */
function createRecorder(url) {
  const entries = [];
  const toPairs = (headers) => [...headers].map(([name, value]) => ({ name, value }));
  return {
    entries,
    async call(method, path, { headers = {}, body } = {}) {
      const startedDateTime = new Date().toISOString();
      const request = new Request(url + path, { method, headers, body });
      const text = body === undefined ? undefined : await request.clone().text();
      const response = await fetch(request);
      const content = await response.text();
      entries.push({
        startedDateTime,
        request: {
          ...{ method, url: url + path, headers: toPairs(request.headers) },
          ...(text !== undefined && {
            postData: { mimeType: request.headers.get("content-type"), text },
          }),
        },
        response: { status: response.status, headers: toPairs(response.headers), content: { text: content } },
      });
      let json;
      try {
        json = JSON.parse(content.replace(/^\uFEFF/, ""));
      } catch {
        // A page, or nothing.
      }
      return { status: response.status, headers: response.headers, json, text: content };
    },
  };
}

/** A receiver of deliveries, which adds them to the entries. */
async function startReceiver(entries) {
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = Object.entries(request.headers).map(([name, value]) => ({ name, value: String(value) }));
    entries.push({
      startedDateTime: new Date().toISOString(),
      request: {
        ...{ method: "POST", url: "http://receiver.example/hook", headers },
        postData: { text: Buffer.concat(chunks).toString() },
      },
      response: { status: 204, headers: [], content: {} },
    });
    response.writeHead(204).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/hook`, close: () => server.close() };
}

/** @param ready the first line of the service @param drive its `drive.json` @returns a HAR */
export async function recordPartner({ url, apiKey, clientId, clientSecret }, drive) {
  const { entries, call } = createRecorder(url);
  const { partner } = drive;
  const credential = { authorization: `Bearer ${apiKey}` };
  const get = (path, headers = {}) => call("GET", path, { headers: { ...credential, ...headers } });
  const post = (path, json, headers = {}) =>
    call("POST", path, {
      headers: { ...credential, "content-type": drive.jsonType ?? "application/json", ...headers },
      body: JSON.stringify(json),
    });
  const token = (secret) =>
    call("POST", "/v1/oauth/token", {
      body: new URLSearchParams({
        ...{ grant_type: "client_credentials", client_id: clientId, client_secret: secret },
      }),
    });
  const submit = (numbers, seller = "Acme Imports", headers = {}) => {
    const body = new FormData();
    body.set("seller_name", seller);
    body.set("requires_protest_documentation", "true");
    body.set("file", new File([entriesOf(numbers)], "entries.csv", { type: "text/csv" }));
    return call("POST", "/v1/diligence/submit", { headers: { ...credential, ...headers }, body });
  };
  const receiver = await startReceiver(entries);
  try {
    await token(clientSecret);
    await token("mistyped");
    await call("GET", "/v1/clients", { headers: { authorization: "Bearer mistyped" } });
    await recordLists({ get, post, partner, drive });
    await recordWebhooks({ get, post, partner, drive, receiver });
    await recordJobs({ get, post, submit, drive });
    return { log: { version: "1.2", creator: { name: "record.mjs", version: "1" }, entries } };
  } finally {
    receiver.close();
  }
}

/** Clients, claims, offers, revenue, scans, and the two writes without a record of their own. */
async function recordLists({ get, post, partner, drive }) {
  const first = async (name) => pick(await get(drive.ids[name].from), drive.ids[name]);
  await first("clientId");
  for (const query of partner.pages) await get(`/v1/clients?${query}`);
  for (const importer of IMPORTERS) await post("/v1/clients", fill(partner.client, importer));
  await post("/v1/clients", partner.clientWithout);
  for (const query of partner.pages) await get(`/v1/clients?${query}`);
  const organization = await first("partnerOrgId");
  await get(`/v1/partner-organizations/${organization}`);
  await get(`/v1/partner-organizations/${NOT_THERE}`);
  const claimId = await first("claimId");
  const claims = new Set((await get("/v1/claims")).text.match(UUIDS));
  for (const id of [...claims, NOT_THERE]) await get(`/v1/claims/status?claimId=${id}`);
  for (const query of partner.claimPages ?? []) await get(`/v1/claims?${query}`);
  for (const list of ["offers", "revenue/ledger", "revenue/dashboard"]) await get(`/v1/${list}`);
  for (const json of [drive.ids.scanId.json, drive.ids.scanId.json]) {
    const scan = pick(await post("/v1/portfolio-scans", json), drive.ids.scanId);
    await get(`/v1/portfolio-scans/${scan}`);
    await get(`/v1/portfolio-scans/${scan}/summary`);
    await post("/v1/litigation/enroll", fill(partner.enrollment, { claimId }));
    await post("/v1/notifications", partner.notification);
  }
}

async function recordWebhooks({ get, post, partner, drive, receiver }) {
  const endpoint = { url: receiver.url, subscribedEvents: EVENTS, environmentScope: "sandbox" };
  let id;
  for (const label of ["Ledger", "Archive"])
    id = pick(await post("/v1/webhooks/endpoints", { label, ...endpoint }), drive.endpointId);
  await post("/v1/webhooks/endpoints", endpoint);
  await get("/v1/webhooks/endpoints");
  for (const eventType of [...EVENTS, "partner.mistyped"])
    await post("/v1/sandbox/webhooks/test", { eventType, environment: "sandbox" });
  await new Promise((resolve) => setTimeout(resolve, 300));
  await get("/v1/webhook-deliveries");
  await get(`/v1/webhook-deliveries?${partner.endpointFilter}=${id}`);
}

async function recordJobs({ get, post, submit, drive }) {
  const idOf = (response) => pick(response, drive.jobId);
  const follow = async (id) => {
    for (let poll = 0; poll < 8; poll += 1) await get(`/v1/diligence/status/${id}`);
    for (const part of ["report", "dataset"]) await get(`/v1/diligence/${part}/${id}`);
  };
  const key = { "idempotency-key": "one-order" };
  for (const numbers of [[], ["SBX-1000001-3"], ["SBX-3518785-2"]]) {
    const id = idOf(await submit(numbers));
    for (const part of ["report", "dataset"]) await get(`/v1/diligence/${part}/${id}`);
    await follow(id);
    // As a partner does who opens it in a spreadsheet.
    await get(`/v1/diligence/dataset/${id}`, { accept: "text/csv" });
    // Of the completed job it is refused.
    await post(`/v1/diligence/jobs/${id}/resume`, {});
    await follow(id);
  }
  for (const again of [key, key]) await submit([], "Acme Imports", again);
  await submit([], "");
  await get(`/v1/diligence/status/${NOT_THERE}`);
}
