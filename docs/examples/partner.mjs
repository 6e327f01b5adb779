// Example code of a partner, which submits entries and receives webhooks. It does not know about the sandbox; the test files
// in this folder run it against one.
import { createServer } from "node:http";
import { verify } from "claims-toolkit/signature";

/** One entry in the service's CSV format. */
export const CSV = [
  "entry_number,entry_type_code,importer_number,importer_name,entry_date,country_of_origin_code,entered_value,ieepa_duty_paid,liquidation_status",
  'ZZ9-0000001-1,01,12-3456789,"Harbor & Pine Trading, LLC",2025-06-01,CN,1000.00,100.00,NOT_LIQUIDATED',
  "",
].join("\n");

/** Submits a file. After a lost response, a retry with the same idempotency key creates no second job. */
export async function submit(service, csv, key) {
  const form = new FormData();
  form.set("seller_name", "Harbor & Pine Trading, LLC");
  form.set("requires_protest_documentation", "false");
  form.set("file", new Blob([csv], { type: "text/csv" }), "entries.csv");
  const response = await fetch(`${service.baseUrl}/v1/diligence/submit`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.apiKey}`, "idempotency-key": key },
    body: form,
  });
  if (response.status !== 202) throw new Error(`not accepted: ${response.status}`);
  return (await response.json()).jobId;
}

export async function fetchReport(service, jobId) {
  const response = await fetch(`${service.baseUrl}/v1/diligence/report/${jobId}`, {
    headers: { authorization: `Bearer ${service.apiKey}` },
  });
  return { status: response.status, body: await response.json() };
}

export async function registerEndpoint(service, url) {
  const response = await fetch(`${service.baseUrl}/v1/webhooks/endpoints`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      ...{ label: "Partner", url, subscribedEvents: ["partner.test"], environmentScope: "sandbox" },
    }),
  });
  if (response.status !== 201) throw new Error(`not registered: ${response.status}`);
  return response.json();
}

/** Starts a server that verifies each webhook and handles each event once, however often it is delivered. */
export async function startReceiver() {
  const handled = [];
  const state = { secret: "", isDown: false };
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (state.isDown) return response.writeHead(503).end();
    const { verdict } = verify({ secrets: [state.secret], headers: request.headers, body });
    if (verdict !== "valid") return response.writeHead(401).end();
    const event = JSON.parse(body.toString());
    if (!handled.includes(event.id)) handled.push(event.id);
    return response.writeHead(200).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/webhooks`,
    handled,
    state,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
