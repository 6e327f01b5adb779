// What a partner's own code may look like: it submits entries, and takes webhooks. The suites beside it try it against a
// sandbox. Nothing in here knows of a sandbox.
import { createServer } from "node:http";
import { verify } from "claims-toolkit/signature";

/** One entry in the service's CSV format. */
export const CSV = [
  "entry_number,entry_type_code,importer_number,importer_name,entry_date,country_of_origin_code,entered_value,ieepa_duty_paid,liquidation_status",
  'ZZ9-0000001-1,01,12-3456789,"Harbor & Pine Trading, LLC",2025-06-01,CN,1000.00,100.00,NOT_LIQUIDATED',
  "",
].join("\n");

/** Submits a file. The key lets a submission whose answer was lost be sent again without doing it twice. */
export async function submit(service, csv, key) {
  const form = new FormData();
  form.set("seller_name", "Harbor & Pine Trading, LLC");
  form.set("requires_protest_documentation", "false");
  form.set("file", new Blob([csv], { type: "text/csv" }), "entries.csv");
  const answer = await fetch(`${service.baseUrl}/v1/diligence/submit`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.apiKey}`, "idempotency-key": key },
    body: form,
  });
  if (answer.status !== 202) throw new Error(`not taken: ${answer.status}`);
  return (await answer.json()).jobId;
}

export async function report(service, jobId) {
  const answer = await fetch(`${service.baseUrl}/v1/diligence/report/${jobId}`, {
    headers: { authorization: `Bearer ${service.apiKey}` },
  });
  return { status: answer.status, body: await answer.json() };
}

export async function register(service, url) {
  const answer = await fetch(`${service.baseUrl}/v1/webhooks/endpoints`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      ...{ label: "Partner", url, subscribedEvents: ["partner.test"], environmentScope: "sandbox" },
    }),
  });
  if (answer.status !== 201) throw new Error(`not registered: ${answer.status}`);
  return answer.json();
}

/** Takes webhooks: verifies each, and handles an event once however often it is delivered. */
export async function receiver() {
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
