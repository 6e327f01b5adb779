import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, it } from "vitest";
import { getContract } from "../../src/contract/openapi.ts";
import type { Operation } from "../../src/contract/operations/operation.ts";
import { ALL_OPERATIONS } from "../../src/contract/operations/operations.ts";
import { isRecord } from "../../src/domain/json.ts";
import { fixture } from "../support/cli.ts";
import { ORGANIZATION } from "../support/sample-claims.ts";
import { GOLDEN_TIME, SELLER, sandboxForTest } from "../support/sandbox.ts";

type Body = Readonly<Record<string, unknown>>;

/** The parameters of the path and the bodies of an operation, and `event.request`, a delivery. */
type Example = Partial<Record<"params" | "request" | "response" | "error" | "csv", unknown>>;

const readFixture = (name: string): string => readFileSync(fixture(name), "utf8");
const CSV = `${readFixture("sample_entries.csv").split("\n").slice(0, 2).join("\n")}\n`;

/** Without what is secret, and what differs between two runs or follows from the document that has the examples. */
const readable = (text: string): string =>
  text
    .replace(/http:\/\/127\.0\.0\.1:\d+\/_sandbox\/sink\/\w+/g, "https://partner.example/hook")
    .replace(/whsec_[\w-]{43}/g, "whsec_shown-once-when-the-endpoint-is-created")
    .replace(/"contractVersion":"[0-9a-f]{64}"/g, `"contractVersion":"${"0".repeat(64)}"`)
    .replace(/"access_token":"[^"]+"/g, '"access_token":"opaque-token-of-an-hour"');

/** One call of each operation, by a sandbox with a seed and a frozen clock. */
async function recordExamples(): Promise<Readonly<Record<string, Example>>> {
  const sandbox = await sandboxForTest({ frozenAt: GOLDEN_TIME, seed: 1 });
  const examples: Record<string, Example> = {};
  const operationOf = (id: string) => ALL_OPERATIONS.find((each) => each.id === id) as Operation;
  const fetchText = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${sandbox.credentials.sandbox.apiKey}`, ...init.headers };
    const response = await fetch(sandbox.url + path, { ...init, headers });
    return response.text();
  };
  async function call(
    id: string,
    request?: Body,
    ids?: Readonly<Record<string, string>>,
    query = "",
  ): Promise<Body> {
    const { method, path, request: described } = operationOf(id);
    const target = path.replace(/\{(\w+)\}/g, (_, name: string) => ids?.[name] ?? "") + query;
    const json = { body: JSON.stringify(request), headers: { "content-type": "application/json" } };
    const response = JSON.parse(await fetchText(target, { method, ...(described?.kind === "json" && json) }));
    examples[id] = { ...(ids && { params: ids }), ...(request && { request }), response };
    return response;
  }
  const submitFile = async (csv: string) => {
    const fields = { seller_name: SELLER, requires_protest_documentation: "false" };
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set("file", new Blob([csv], { type: "text/csv" }), "entries.csv");
    const response = JSON.parse(
      await fetchText(operationOf("diligence.submit").path, { method: "POST", body: form }),
    );
    examples["diligence.submit"] ??= { request: { ...fields, file: csv }, response };
    await sandbox.clock.advance("1h");
    return { jobId: String(response.jobId) };
  };
  const idOf = ({ id }: Body) => String(id);

  const { clientId: client_id, clientSecret } = sandbox.credentials.sandbox;
  const requestToken = async (client_secret: string) => {
    const body = new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret });
    return (await fetch(sandbox.url + operationOf("oauth.token").path, { method: "POST", body })).json();
  };
  const client_secret = "shown-once-when-the-client-is-approved";
  examples["oauth.token"] = {
    request: { grant_type: "client_credentials", client_id, client_secret },
    response: await requestToken(clientSecret),
    error: await requestToken("wrong"),
  };
  examples["document.openapi"] = {
    response: { openapi: "3.1.0", info: getContract().document.info, paths: {} },
  };
  const subscription = { subscribedEvents: ["partner.test"], environmentScope: "sandbox" };
  await call("webhooks.create", {
    label: "claims",
    url: `${sandbox.url}/_sandbox/sink/claims`,
    ...subscription,
  });
  const sent = await call("webhooks.test", { eventType: "partner.test", environment: "sandbox" });
  examples.event = { request: JSON.parse(String(sent.body)) };
  await sandbox.idle();
  await call("webhooks.endpoints", undefined, undefined, "?limit=1");
  await call("webhooks.deliveries", undefined, undefined, "?limit=1");

  const job = await submitFile(CSV);
  await call("diligence.status", undefined, job);
  await call("diligence.report", undefined, job);
  await call("diligence.dataset", undefined, job);
  const dataset = operationOf("diligence.dataset").path.replace("{jobId}", job.jobId);
  examples["diligence.dataset"] = {
    ...examples["diligence.dataset"],
    csv: await fetchText(dataset, { headers: { accept: "text/csv" } }),
  };
  await call("diligence.resume", undefined, await submitFile(readFixture("scenario_partial.csv")));

  const client = await call("clients.create", { name: SELLER, reference: "HP-1" });
  await call("clients.list", undefined, undefined, "?limit=1");
  const claim = idOf(await call("claims.create", { clientId: idOf(client), ...job }));
  await call("claims.list", undefined, undefined, "?limit=1");
  await call("claims.status", undefined, undefined, `?claimId=${claim}`);
  await call("offers.create", { claimId: claim });
  await call("offers.list", undefined, undefined, "?limit=1");
  await call("revenue.ledger", undefined, undefined, "?limit=1");
  await call("revenue.dashboard");
  const scan = { scanId: idOf(await call("scans.create", { mode: "full" })) };
  await sandbox.clock.advance("1h");
  await call("scans.get", undefined, scan);
  await call("scans.summary", undefined, scan);
  const { id: other } = await call("claims.create", {
    clientId: idOf(client),
    ...(await submitFile(readFixture("sample_entries.csv"))),
  });
  await call("litigation.enroll", { claimIds: [String(other)] });
  await call("orgs.onboard", ORGANIZATION, { partnerOrgId: "north-pier" });
  await call("orgs.get", undefined, { partnerOrgId: "north-pier" });
  await call("notifications.create", {
    recipient: "ida@northpier.example",
    subject: "The report is ready",
    message: "Please read it.",
  });
  return examples;
}

it("the examples of the contract are what a sandbox responds", async () => {
  const examples = await recordExamples();
  expect(Object.keys(examples).sort()).toEqual(["event", ...ALL_OPERATIONS.map(({ id }) => id)].sort());
  const lines = Object.entries(examples).map(
    ([id, example]) => `  ${JSON.stringify(id)}: ${readable(JSON.stringify(example))}`,
  );
  // `npx vitest run test/flows/contract-examples.test.ts --update` writes it.
  await expect(`{\n${lines.sort().join(",\n")}\n}\n`).toMatchFileSnapshot("../../src/contract/examples.json");
});

interface MediaType {
  readonly schema: object;
  readonly examples?: { readonly default: { readonly $ref?: string; readonly value?: unknown } };
}

/** The media types of every body, by their places in the document. */
function listMediaTypes(node: unknown, place = ""): [place: string, media: MediaType][] {
  if (!isRecord(node)) return [];
  return Object.entries(node).flatMap(([name, value]) =>
    name === "content"
      ? Object.entries(value as Record<string, MediaType>).map(([type, media]): [string, MediaType] => [
          `${place} ${type}`,
          media,
        ])
      : listMediaTypes(value, `${place}/${name}`),
  );
}

it("every body of the contract has an example that its schema allows", () => {
  const { document } = getContract();
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(document, "contract");
  const all = listMediaTypes(JSON.parse(JSON.stringify({ ...document, components: {} })));
  expect(all.length).toBeGreaterThan(500);
  const checked = new Set<string>();
  for (const [place, { schema, examples }] of all) {
    const { $ref = "", value } = examples?.default ?? {};
    const named = document.components.examples[$ref.replace("#/components/examples/", "")];
    const text = JSON.stringify([schema, named ?? value]).replaceAll(
      '"#/components',
      '"contract#/components',
    );
    if (!examples || checked.has(text)) continue;
    const [ownSchema, example] = JSON.parse(text);
    const isValid = ajv.validate(ownSchema, named ? example.value : example);
    expect(isValid, `${place}: ${ajv.errorsText()}`).toBe(true);
    checked.add(text);
  }
  const without = all.filter(([, { examples }]) => !examples).map(([place]) => place.replace(/.* /, ""));
  expect([...new Set(without)]).toEqual(["application/x-ndjson"]);
});

it("a submission links to what takes its job id", () => {
  const submit = getContract().document.paths["/v1/diligence/submit"] as {
    readonly post: { readonly responses: { readonly 202: { readonly links: object } } };
  };
  const jobId = { parameters: { jobId: "$response.body#/jobId" } };
  const ids = ["status", "report", "dataset", "resume"].map((verb) => `diligence.${verb}`);
  expect(submit.post.responses[202].links).toEqual(
    Object.fromEntries(ids.map((operationId) => [operationId, { operationId, ...jobId }])),
  );
});
