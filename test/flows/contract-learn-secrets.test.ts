import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/contract/service-form/learn/samples.ts";
import { sign } from "../../src/signature.ts";
import { errorOf, fixture, runCli, startCli, temporaryFolder } from "../support/cli.ts";
import { sandboxForTest } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";
import { callEverything, saveHar } from "../support/service-script.ts";

const SECRET = `whsec_${"Kx7".repeat(14)}Q`;
const TOKEN = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";

/** Each of them is planted as a value, as a key, and where words of states, headers and types are. */
const PLANTED = [
  SECRET,
  TOKEN,
  "Zurich Freight LLC",
  "zurich_freight",
  "ZurichFreight",
  "98765432",
  "987654.32",
];

const plant = (text: string) => ({
  [text]: text,
  partner: text,
  category: text,
  kind: "ZurichFreight",
  owner: { [text]: { name: text, amount: 98_765_432 } },
  tags: [text, { [text]: 987_654.32 }],
  environmentOwner: "zurich_freight",
});

/** A document with everything planted in each of its objects, and no key in two of them. */
function spoil(value: unknown, next: { count: number }): unknown {
  if (Array.isArray(value)) return value.map((each) => spoil(each, next));
  if (typeof value !== "object" || value === null) return value;
  const own = Object.entries(value).map(([name, inner]) => [name, spoil(inner, next)]);
  const planted = PLANTED[next.count++ % PLANTED.length] ?? "";
  return { ...Object.fromEntries(own), ...(own.length > 0 && plant(planted)) };
}

const HEADERS = PLANTED.map((text, index) => [`x-partner-${index}`, text] as const);

/** The exchanges of a sandbox with planted values. */
async function createExchanges(): Promise<Exchange[]> {
  const sandbox = await sandboxForTest({ frozenAt: "2026-11-20T00:00:00Z" });
  const { exchanges } = await callEverything(sandbox);
  const next = { count: 0 };
  return exchanges.map((exchange, index) => ({
    ...exchange,
    headers: [
      ...exchange.headers.filter(([name]) => name !== "x-request-id"),
      ...HEADERS,
      ["x-request-id", PLANTED[index % PLANTED.length] ?? ""],
      ["zurich_freight", "1"],
    ],
    body: JSON.stringify(spoil(JSON.parse(exchange.body), next)),
    requestBody: JSON.stringify(plant(PLANTED[index % PLANTED.length] ?? "")),
  }));
}

function expectNothingPlanted(text: string): void {
  const lower = text.toLowerCase();
  const found = [...PLANTED, "Kx7Kx7", "4eC39", "Harbor", "Pine", "98765"].flatMap((planted) => {
    const index = lower.indexOf(planted.toLowerCase());
    return index < 0 ? [] : [text.slice(Math.max(index - 200, 0), index + 60)];
  });
  expect(found).toEqual([]);
}

describe("the file of claims contract learn has no secret, name or amount", () => {
  it("of a recording", async () => {
    const result = await runCli(["contract", "learn", "--json", "--har", saveHar(await createExchanges())]);
    expect(result.code, result.stderr).toBe(0);
    const service = JSON.parse(result.stdout);
    expect(service.evidence.responses.length).toBeGreaterThan(20);
    expect(service.open.length).toBeGreaterThan(5);
    expectNothingPlanted(result.stdout);
  });

  it("of a job that was polled, whose keys are in every response", async () => {
    const { env } = await startScriptedService((request, response, count) => {
      if (request.method === "POST") sendJson(response, 202, { jobId: "job-1", ...plant(TOKEN) });
      else if (request.url?.includes("/status/job-1"))
        sendJson(response, 200, {
          jobId: "job-1",
          state: count < 20 ? "queued" : "completed",
          ...plant("zurich_freight"),
        });
      else sendJson(response, 404, plant("Zurich Freight LLC"), { "x-request-id": TOKEN });
    });
    const seller = ["--submit", fixture("scenario_partial.csv"), "--seller-name", "Zurich Freight LLC"];
    const result = await runCli(["contract", "learn", "--json", "--timeout", "60", ...seller], { env });
    expect(result.code, result.stderr).toBe(0);
    expectNothingPlanted(result.stdout);
  });

  it("of the service's own document, an error page and a response of another type", async () => {
    const schema = (properties: object) => ({
      responses: { "200": { content: { "application/json": { schema: { type: "object", properties } } } } },
    });
    const properties = Object.fromEntries(
      PLANTED.slice(0, 3).map((text) => [text, { type: "string", enum: PLANTED }]),
    );
    const document = {
      openapi: "3.0.0",
      info: { title: "Zurich Freight LLC", description: TOKEN },
      servers: [{ url: "https://zurich_freight.example" }],
      paths: {
        "/v1/diligence/status/{jobId}": {
          get: schema({ ...properties, state: { enum: [TOKEN, SECRET, "queued"] } }),
        },
        "/v1/clients": { get: { ...schema(properties), parameters: [{ name: TOKEN, in: "query" }] } },
      },
    };
    const { env } = await startScriptedService((request, response) => {
      if (request.url === "/v1/docs/openapi") sendJson(response, 200, document);
      else if (request.url === "/v1/clients")
        response.writeHead(500, { "content-type": "text/html" }).end(`<h1>Zurich Freight LLC ${TOKEN}</h1>`);
      else
        response
          .writeHead(200, { "content-type": `application/vnd.${TOKEN}+json; owner="Zurich Freight LLC"` })
          .end(JSON.stringify({ items: [plant(TOKEN), plant("zurich freight")] }));
    });
    const result = await runCli(["contract", "learn", "--json"], { env });
    expect(result.code, result.stderr).toBe(0);
    expect(JSON.parse(result.stdout).evidence.serviceContractHash).toMatch(/^[0-9a-f]{64}$/);
    expectNothingPlanted(result.stdout);
  });

  it.each([
    ["a header", "entry;Duty;who\r\n", ["entry", "Duty", "who"]],
    ["no header", "", undefined],
    ["names in the header", "entry;Zurich Freight LLC;who\r\n", undefined],
  ])("of a dataset as CSV with %s", async (_, head, columns) => {
    const exchange = (method: string, path: string, body: string, requestBody?: string): Exchange => ({
      ...{ method, path, status: 200, headers: [["content-type", "text/csv"]], body, at: 0 },
      ...(requestBody !== undefined && { requestBody }),
    });
    const rows = PLANTED.map((text, index) => `${text};${index}.50;"to ${text}"\r\n`).join("");
    const har = saveHar([
      exchange("POST", "/v1/diligence/submit", "{}", `entry_number,name\n${TOKEN},${SECRET}\n`),
      exchange("GET", "/v1/diligence/dataset/1", head + rows),
    ]);
    const result = await runCli(["contract", "learn", "--json", "--har", har]);
    expect(result.code, result.stderr).toBe(0);
    const { csv } = JSON.parse(result.stdout).operations["diligence.dataset"];
    const extras = { Duty: "decimal text", who: "text" };
    const learned = columns && { columns, fields: { entryNumber: "entry" }, extras };
    expect(csv).toEqual({ only: true, delimiter: ";", ...learned });
    expectNothingPlanted(result.stdout);
  });

  it("of deliveries", async () => {
    const folder = temporaryFolder();
    const [recorded, secretFile] = [join(folder, "deliveries"), join(folder, "secret")];
    writeFileSync(secretFile, SECRET);
    const { completion, waitForOutput } = startCli([
      ...["webhooks", "listen", "--port", "0", "--json", "--secret-file", secretFile],
      ...["--record", recorded, "--count", "2"],
    ]);
    const [, url = ""] = await waitForOutput(/"url":"(http[^"]+)"/);
    for (const planted of [TOKEN, "zurich_freight"]) {
      const body = JSON.stringify({
        id: planted,
        type: "partner.test",
        data: plant(planted),
        ...plant(planted),
      });
      const timestamp = "1795132800";
      const headers = {
        "x-service-event": "partner.test",
        "x-service-timestamp": timestamp,
        "x-service-signature": sign({ secret: SECRET, timestamp, body }),
        "x-partner": planted,
      };
      expect((await fetch(url, { method: "POST", body, headers })).status).toBe(200);
    }
    expect((await completion).code).toBe(0);
    const { code, stdout } = await runCli(["contract", "learn", "--deliveries", recorded, "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).evidence.deliveries).toBe(2);
    expectNothingPlanted(stdout);
  });
});

describe("claims contract learn", () => {
  it("asks which service it learns from if a recording has several", async () => {
    const exchanges = await createExchanges();
    const file = saveHar(exchanges);
    const recording = JSON.parse(readFileSync(file, "utf8"));
    const others = recording.log.entries.map((entry: { request: { url: string } }) => ({
      ...entry,
      request: { ...entry.request, url: entry.request.url.replace("partners.example.com", "other.example") },
    }));
    writeFileSync(file, JSON.stringify({ log: { entries: [...recording.log.entries, ...others] } }));
    const refused = await runCli(["contract", "learn", "--json", "--har", file]);
    expect(errorOf(refused)).toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("https://other.example/prefix"),
    });
    const args = ["contract", "learn", "--json", "--har", file, "--base-url", "https://other.example/prefix"];
    const result = await runCli(args);
    expect(result.stderr).toContain(`${exchanges.length} other requests left out`);
    expect(result.code).toBe(0);
  });

  it.each([
    ["redirects", 302, 1],
    ["rejects the credential", 401, 1],
    ["limits requests", 429, 1],
    ["has no access to it", 403, 9],
    ["fails", 500, 9],
  ] as const)("requests once of a service that %s", async (_, status, count) => {
    const { env, requests } = await startScriptedService((_request, response) =>
      sendJson(
        response,
        status,
        { message: "no" },
        { location: "https://elsewhere.example/", "retry-after": "60" },
      ),
    );
    const result = await runCli(["contract", "learn", "--json"], { env });
    expect(requests.length).toBe(count);
    expect(new Set(requests.map(({ url }) => url)).size).toBe(requests.length);
    if (count === 1) expect(errorOf(result)).toMatchObject({ status });
    else expect(result.code, result.stderr).toBe(0);
    const learned: { status: number; count: number }[] =
      status === 302 ? [] : JSON.parse(result.stdout).evidence.responses;
    expect(new Set(learned.map((each) => each.status))).toEqual(new Set(status === 302 ? [] : [status]));
  });
});
