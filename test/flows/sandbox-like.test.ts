import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { GREASE_DIMENSIONS } from "../../src/contract/grease.ts";
import type { Exchange } from "../../src/contract/service-form/learn/samples.ts";
import type { ObservedService } from "../../src/contract/observed/observed-service.ts";
import { bareEnvironment, errorOf, runCli, runProcess, temporaryFolder } from "../support/cli.ts";
import { createContractValidator } from "../support/contract-validator.ts";
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts";
import { observedService, seenField, seenResponse } from "../support/observed-service.ts";
import { toDeliveryForm, toFormOf } from "../support/response-form.ts";
import { environmentOf, openSandbox, sandboxForTest, startSandboxUp } from "../support/sandbox.ts";
import { call, post } from "../support/sandbox-requests.ts";
import { callEverything, saveHar } from "../support/service-script.ts";

const START = { frozenAt: "2026-11-20T00:00:00Z" };

/** What is learned of recorded calls. */
async function learnFrom(exchanges: readonly Exchange[]): Promise<ObservedService> {
  const result = await runCli(["contract", "learn", "--json", "--har", saveHar(exchanges)], {
    env: bareEnvironment(),
  });
  expect(result.code, result.stderr).toBe(0);
  return JSON.parse(result.stdout);
}

/** What is learned of a running service. */
async function learnByReads(sandbox: Sandbox, ...args: string[]): Promise<ObservedService> {
  const result = await runCli(["contract", "learn", "--json", ...args], { env: environmentOf(sandbox) });
  expect(result.code, result.stderr).toBe(0);
  return JSON.parse(result.stdout);
}

function expectSameForms(real: readonly Exchange[], imitation: readonly Exchange[]): void {
  for (const [index, each] of real.entries())
    expect(imitation[index] && toFormOf(imitation[index]), `${each.method} ${each.path}`).toEqual(
      toFormOf(each),
    );
}

interface OpenApiDocument {
  readonly paths: Readonly<
    Record<string, { readonly get: { readonly parameters: { readonly name: string }[] } }>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** Relies on the name of a list. */
const SUITE = `
export default async function run(url, key) {
  const response = await fetch(url + "/v1/clients", { headers: { authorization: "Bearer " + key } });
  return Array.isArray((await response.json()).data);
}
const { CLAIMS_BASE_URL: url, CLAIMS_API_KEY: key } = process.env;
if (process.argv[2] === "run" && !(await run(url, key))) process.exitCode = 1;
`;

/** The responses are those that the document of the sandbox describes. */
function expectValid(document: object, exchanges: readonly Exchange[]): void {
  const { findViolation } = createContractValidator(document as OpenApiDocument);
  const violations = exchanges.flatMap(({ method, path, status, headers, body }) => {
    const violation = findViolation({
      ...{ method, path: path.replace(/\?.*$/, ""), status, body },
      headers: new Map(headers.filter(([name]) => name !== "x-sandbox-like")),
    });
    return violation === null ? [] : [`${method} ${path} ${status}: ${violation}`];
  });
  expect(violations).toEqual([]);
}

/** A service whose choices are no dimension of grease. */
const OTHER_SERVICE = observedService({
  responses: [
    seenResponse({
      ...{ operation: "clients.list", template: "/v1/clients" },
      list: { items: "clients", order: "oldest-first" },
      paging: { cursor: "page_token", limit: "page_size", isNumber: false },
    }),
    seenResponse({ operation: "claims.status", template: "/v1/claims/status", wrapper: "claim" }),
  ],
  fields: [
    ...(
      [
        ["id", "client_id", "text:uuid"],
        ["createdAt", "created", "integer:seconds"],
        ["contactEmail", null],
        ["name", "name", "text"],
      ] as const
    ).map(([field, name, ...forms]) =>
      seenField({ operation: "clients.list", place: "Client", field, name, forms }),
    ),
    seenField({
      ...{ operation: "claims.create", place: "Claim", field: "clientId", name: "client_ref" },
      forms: ["text:uuid"],
    }),
    seenField({
      ...{ operation: "claims.list", place: "Claim", field: "estimatedClaimCents" },
      ...{ name: "estimatedClaim", forms: ["text:decimal"] },
    }),
    seenField({
      ...{ operation: "clients.list", place: "clients.list", field: "nextCursor", name: null },
    }),
  ],
  unknownFields: [{ place: "Client", name: "object", forms: ["text"] }],
  errors: [
    {
      ...{ form: "message", operation: "diligence.status", status: 404, count: 1 },
      ...{ lastAt: "2026-11-20T00:00:00.000Z", requestId: null },
    },
  ],
});

function saveService(service: object): string {
  const path = join(temporaryFolder(), "service.json");
  writeFileSync(path, JSON.stringify(service));
  return path;
}

describe("startSandbox({ like })", () => {
  const seeds = Array.from({ length: IS_EXHAUSTIVE ? 50 : 1 }, (_, index) => index + 1);

  it.each(seeds)("responds in the form of a service that varies everything, seed %i", async (seed) => {
    const varied = await sandboxForTest({ ...START, seed, grease: GREASE_DIMENSIONS });
    const real = await callEverything(varied);
    const like = await learnFrom(real.exchanges);
    const sandbox = await sandboxForTest({ ...START, seed, like });
    const imitation = await callEverything(sandbox);
    expectSameForms(real.exchanges, imitation.exchanges);
    expect(imitation.deliveries.length).toBe(3);
    expect(imitation.deliveries.map(toDeliveryForm)).toEqual(real.deliveries.map(toDeliveryForm));
    expectValid((await call(sandbox, "/v1/docs/openapi")).body, imitation.exchanges);

    // Reads alone show all that reads can show.
    const readOnly = await learnByReads(varied, "--job", real.ids.job ?? "");
    const second = await callEverything(await sandboxForTest({ ...START, seed, like: readOnly }));
    const isRead = ({ method, path }: Exchange) =>
      method === "GET" && !/scans|organizations|limit=/.test(path) && !path.endsWith(real.ids.partial ?? "");
    expectSameForms(real.exchanges.filter(isRead), second.exchanges.filter(isRead));
  });

  it("fails a suite that the real service fails, and names the difference", async () => {
    const suite = join(temporaryFolder(), "suite.mjs");
    writeFileSync(suite, SUITE);
    const { default: run } = await import(suite);
    const plain = await sandboxForTest(START);
    const isPassed = ({ url, credentials }: Sandbox) => run(url, credentials.sandbox.apiKey);
    expect(await isPassed(plain)).toBe(true);
    const real = await sandboxForTest({ ...START, grease: ["listEnvelope"] });
    expect(await isPassed(real)).toBe(false);
    const file = saveService(await learnByReads(real));
    const result = await runProcess(
      ["sandbox", "exec", "--like", file, "--", process.execPath, suite, "run"],
      { env: bareEnvironment() },
    );
    expect(result.code, result.stderr).toBe(1);
    expect(result.stderr).toMatch(/^differs: clients\.list data: a bare list/m);
    expect(result.stderr).not.toMatch(/differs: offers\.list|not imitated:/);
  });
});

describe("a sandbox like a service with other names", () => {
  let sandbox: Sandbox;
  let exchanges: readonly Exchange[];
  let ids: Record<string, string>;

  beforeAll(async () => {
    sandbox = await openSandbox({ like: OTHER_SERVICE });
    ({ exchanges, ids } = await callEverything(sandbox));
  });
  afterAll(() => sandbox.close());

  const bodyOf = (start: string) =>
    JSON.parse(exchanges.find(({ method, path }) => method === "GET" && path.startsWith(start))?.body ?? "");

  it("writes names, absent fields, amounts, wrappers and lists as they were seen", () => {
    const { clients, ...rest } = bodyOf("/v1/clients");
    expect(rest).toEqual({});
    expect(clients.at(-1)).toMatchObject({ name: "Zürich Tools", object: "text" });
    expect(Object.keys(clients[0])).not.toContain("contactEmail");
    expect(clients[0].created).toBeTypeOf("number");
    expect(bodyOf("/v1/claims").data[0].estimatedClaim).toMatch(/^\d+\.\d\d$/);
    expect(bodyOf("/v1/claims/status").claim).toMatchObject({ status: "in_litigation" });
    expect(bodyOf("/v1/diligence/status/0")).toEqual({ message: expect.any(String) });
  });

  it("takes requests with the names that were seen, and with those of the contract", async () => {
    const again = await post(sandbox, "/v1/claims", { client_ref: ids.client, jobId: ids.job });
    expect(again.body).toEqual({ message: expect.stringContaining("claim") });
    expect(again.status).toBe(409);
    const filtered = await call(sandbox, `/v1/claims?client_ref=${ids.client}`);
    expect((filtered.body.data as object[]).length).toBe(1);
    expect((await call(sandbox, `/v1/claims?clientId=${ids.client}`)).body).toEqual(filtered.body);
  });

  it("names the parameters of a page as they were seen", async () => {
    const first = await call(sandbox, "/v1/clients?page_size=3");
    const link = first.headers.get("link") ?? "";
    const [, next = ""] = /^<(\?page_size=3&page_token=[^>]+)>; rel="next"$/.exec(link) ?? [];
    const second = await call(sandbox, `/v1/clients${next}`);
    expect([first, second].map(({ body }) => (body.clients as object[]).length)).toEqual([3, 2]);
  });

  it("publishes a document that its responses keep to", async () => {
    const { body } = await call(sandbox, "/v1/docs/openapi");
    expectValid(body, exchanges);
    const { paths, components } = body as unknown as OpenApiDocument;
    expect(JSON.stringify(components.schemas["clients.list"])).toContain('"x-basis":"observed"');
    const parameters = paths["/v1/clients"]?.get.parameters.map(({ name }) => name);
    expect(parameters).toEqual(["page_size", "page_token"]);
  });

  it("shows the same service to one who learns from it", async () => {
    const like = await learnFrom(exchanges);
    const again = await callEverything(await sandboxForTest({ ...START, like }));
    expectSameForms(exchanges, again.exchanges);
  });
});

describe("startSandbox({ like }), differences", () => {
  it("lists what it does not imitate", async () => {
    const like = observedService({
      responses: [
        seenResponse({ operation: "diligence.submit", template: "/v1/diligence/submit", status: 200 }),
        seenResponse({
          operation: "revenue.dashboard",
          template: "/v1/revenue/dashboard",
          type: "text/html",
        }),
      ],
      fields: [
        seenField({
          ...{ operation: "diligence.submit", place: "Job", field: "jobId", name: "jobId" },
          forms: ["text:uuid"],
        }),
        seenField({
          ...{ operation: "diligence.status", place: "Job", field: "state", name: "state" },
          ...{ forms: ["text"], words: ["done", "in_review", "partial"] },
        }),
        seenField({
          ...{ operation: "webhooks.endpoints", place: "Endpoint", field: "label", name: "title" },
          forms: ["text"],
        }),
        seenField({
          ...{ operation: "clients.list", place: "Client", field: "id", name: "id" },
          forms: ["text:ulid"],
        }),
      ],
    });
    const sandbox = await sandboxForTest({ ...START, like });
    expect(sandbox.like?.notImitated.map(({ subject, seen }) => `${subject}: ${seen}`)).toEqual([
      "diligence.submit: status 200",
      "revenue.dashboard: content type text/html",
      "Job.state: in_review",
      "Endpoint.label: title",
      "Client.id: text:ulid",
    ]);
    const { endpoints } = Object.fromEntries([
      ["endpoints", (await call(sandbox, "/v1/webhooks/endpoints")).body.data],
    ]) as { endpoints: object[] };
    expect(endpoints[0]).toHaveProperty("label");
  });

  it("refuses what is no observed service, and grease", async () => {
    for (const [options, code] of [
      [{ like: {} }, "invalid_observed_service"],
      [{ like: { ...OTHER_SERVICE, version: 2 } }, "invalid_observed_service"],
      [{ like: OTHER_SERVICE, grease: "all" }, "option_conflict"],
    ] as const)
      await expect(sandboxForTest(options as object)).rejects.toMatchObject({ code });
  });
});

describe("claims sandbox up --like", () => {
  const service = observedService({
    fields: [
      seenField({
        ...{ operation: "clients.list", place: "Client", field: "id", name: "id" },
        forms: ["text:ulid"],
      }),
    ],
  });
  const difference = { subject: "Client.id", seen: "text:ulid" };

  it("lists at the start and in its status what it does not imitate", async () => {
    const env = bareEnvironment();
    const { ready, waitForOutput } = await startSandboxUp(env, "--like", saveService(service));
    expect(ready).toMatchObject({ like: { isStale: false, notImitated: [difference] } });
    await waitForOutput(/not imitated: Client\.id: text:ulid/, "stderr");
    const status = await runCli(["sandbox", "status", "--json"], { env });
    expect(JSON.parse(status.stdout)).toMatchObject({ like: { notImitated: [difference] } });
    const text = await runCli(["sandbox", "status"], { env });
    expect(text.stdout).toContain("text:ulid");
  });

  it("warns of a service that was compared with another contract", async () => {
    const stale = {
      ...service,
      contractHash: "0".repeat(64),
      fields: [...service.fields, { ...service.fields[0], field: "gone" }],
    };
    const { waitForOutput } = await startSandboxUp(bareEnvironment(), "--like", saveService(stale));
    await waitForOutput(/another version of the contract/, "stderr");
    await waitForOutput(/Client\.gone/, "stderr");
  });

  it.each([
    ["other JSON", { log: { entries: [] } }, /is not what `claims contract learn` writes/],
    ["another version", { ...service, version: 7 }, /has version 7/],
    ["an edited file", { ...service, fields: [{ place: "Client" }] }, /\/fields\/0/],
    [
      "a field that does not exist",
      { ...service, fields: [{ ...service.fields[0], field: "colour" }] },
      /Client\.colour/,
    ],
  ])("refuses %s", async (_, document, message) => {
    const file = saveService(document);
    const result = await runCli(["sandbox", "up", "--port", "0", "--like", file], {
      env: bareEnvironment(),
    });
    expect(result.code).toBe(2);
    expect(result.stderr).toMatch(message);
  });

  it("refuses --grease-each with --like", async () => {
    const result = await runCli(
      ["sandbox", "exec", "--like", saveService(service), "--grease-each", "--json", "--", "true"],
      { env: bareEnvironment() },
    );
    expect(errorOf(result)).toMatchObject({ code: "option_conflict" });
  });
});
