import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { GREASE_DIMENSIONS } from "../../src/contract/grease.ts";
import type { Exchange } from "../../src/contract/service-form/learn/samples.ts";
import type { ServiceForm } from "../../src/contract/service-form/service-form.ts";
import { bareEnvironment, errorOf, fixture, runCli, temporaryFolder } from "../support/cli.ts";
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts";
import { toFormOf } from "../support/response-form.ts";
import { environmentOf, openSandbox, sandboxForTest, startSandboxUp } from "../support/sandbox.ts";
import { call, post, submissionForm } from "../support/sandbox-requests.ts";
import { callEverything, saveHar } from "../support/service-script.ts";

const START = { frozenAt: "2026-11-20T00:00:00Z" };

/** What is learned of recorded calls. */
async function learnFrom(exchanges: readonly Exchange[]): Promise<ServiceForm> {
  const file = join(temporaryFolder(), "service.json");
  const args = ["contract", "learn", "--har", saveHar(exchanges), "--out", file];
  const result = await runCli(args, { env: bareEnvironment() });
  expect(result.code, result.stderr).toBe(0);
  return JSON.parse(readFileSync(file, "utf8"));
}

function saveForm(form: object): string {
  const path = join(temporaryFolder(), "service.json");
  writeFileSync(path, JSON.stringify(form));
  return path;
}

/** What grease does besides forms: no file describes it. */
const EFFECTS = ["unknownFields", "listOrder", "paging", "payloadForm", "headerCase"];

/** Relies on the name of a list. */
const SUITE = `
export default async function run(url, key) {
  const response = await fetch(url + "/v1/clients", { headers: { authorization: "Bearer " + key } });
  return Array.isArray((await response.json()).data);
}
const { CLAIMS_BASE_URL: url, CLAIMS_API_KEY: key } = process.env;
if (process.argv[2] === "run" && !(await run(url, key))) process.exitCode = 1;
`;

/** A service whose choices are no dimension of grease. */
const OTHER_SERVICE: ServiceForm = {
  serviceForm: 1,
  idempotencyKeys: "ignored",
  records: {
    Job: { derived: { "phase.number": { from: "state", words: { queued: 0, completed: 2 } } } },
    Client: {
      fields: { id: "client_id", createdAt: { at: "created", as: "epoch-seconds" }, contactEmail: null },
      constants: { object: "client" },
    },
    Claim: {
      fields: {
        estimatedClaimCents: { at: "estimated.value", as: "decimal-text" },
        status: { at: "state.code", words: { open: "new" } },
      },
    },
  },
  operations: {
    "clients.list": {
      items: "result.clients",
      paging: { kind: "page", parameter: "p", size: "n", pages: "result.pages", total: "result.total" },
    },
    "claims.list": {
      items: "",
      paging: { kind: "offset", parameter: "skip", size: "take" },
      query: { clientId: "client_ref" },
    },
    "clients.create": { location: "{origin}/v1/clients/{id}" },
    "offers.list": { paging: { kind: "offset", parameter: "after", self: "self", isAbsolute: true } },
    "claims.create": { status: 200, at: "claim", request: { clientId: "client_ref" } },
    "claims.status": { at: "claim" },
    "diligence.submit": { isEmpty: true, record: "Accepted" },
    "diligence.dataset": { csv: { only: true, delimiter: ";" }, contentType: "text/x-table" },
  },
  errors: { message: "message", code: null, statuses: { job_not_found: 410 } },
};
const WITH_ACCEPTED: ServiceForm = {
  ...OTHER_SERVICE,
  records: {
    ...OTHER_SERVICE.records,
    Accepted: { fields: { jobId: { header: "Location", as: "last-segment" } } },
  },
};

describe("startSandbox({ like })", () => {
  // The three: a cursor under another name, the id in a header alone, and one renamed field in three records.
  const seeds = IS_EXHAUSTIVE ? Array.from({ length: 50 }, (_, index) => index + 1) : [3, 5, 12];

  it.each(seeds)(
    "responds in the form that is learned of a service that varies everything, seed %i",
    async (seed) => {
      const grease = GREASE_DIMENSIONS.filter((dimension) => !EFFECTS.includes(dimension));
      const real = await callEverything(await sandboxForTest({ ...START, seed, grease }));
      const like = await learnFrom(real.exchanges);
      const imitation = await callEverything(await sandboxForTest({ ...START, seed, like }));
      const formsOf = (exchanges: readonly Exchange[]) =>
        exchanges
          .filter(({ path, status }) => !/docs|portfolio-scans/.test(path) && status < 400)
          .map((each) => [
            `${each.method} ${each.path.replace(/[0-9a-f-]{36}|cursor=[^&]*/g, "ID")}`,
            toFormOf(each).status,
            toFormOf(each).body,
          ]);
      expect(formsOf(imitation.exchanges)).toEqual(formsOf(real.exchanges));
    },
  );

  it("fails a suite that the real service fails", async () => {
    const suite = join(temporaryFolder(), "suite.mjs");
    writeFileSync(suite, SUITE);
    const { default: run } = await import(suite);
    const plain = await sandboxForTest(START);
    const isPassed = ({ url, credentials }: Sandbox) => run(url, credentials.sandbox.apiKey);
    expect(await isPassed(plain)).toBe(true);
    const real = await sandboxForTest({ ...START, grease: ["listEnvelope"] });
    expect(await isPassed(real)).toBe(false);
    const file = join(temporaryFolder(), "service.json");
    const learned = await runCli(["contract", "learn", "--out", file], { env: environmentOf(real) });
    expect(learned.code, learned.stderr).toBe(0);
    const result = await runCli(["sandbox", "exec", "--like", file, "--", process.execPath, suite, "run"], {
      env: bareEnvironment(),
    });
    expect(result.code, result.stderr).toBe(1);
  });
});

describe("a sandbox like a service with other names", () => {
  let sandbox: Sandbox;
  let ids: Record<string, string>;

  beforeAll(async () => {
    const plain = await openSandbox(START);
    ({ ids } = await callEverything(plain));
    await plain.snapshots.save("before");
    const snapshot = await plain.snapshots.export("before");
    await plain.close();
    sandbox = await openSandbox({ ...START, like: WITH_ACCEPTED, snapshot });
  });
  afterAll(() => sandbox.close());

  it("writes names, absent fields, constants, amounts, words, envelopes and statuses", async () => {
    const { body } = await call(sandbox, "/v1/clients");
    const { clients, total } = body.result as { clients: Record<string, unknown>[]; total: number };
    expect(total).toBe(clients.length);
    expect(clients.at(-1)).toMatchObject({
      client_id: expect.any(String),
      object: "client",
      created: expect.any(Number),
    });
    expect(Object.keys(clients[0] ?? {})).not.toContain("contactEmail");
    const claims = (await call(sandbox, "/v1/claims")).body as unknown as { estimated: { value: string } }[];
    expect(claims[0]?.estimated.value).toMatch(/^\d+\.\d\d$/);
    const missing = await call(sandbox, "/v1/diligence/status/0");
    expect([missing.status, missing.body]).toEqual([410, { message: expect.any(String) }]);
  });

  it("takes requests with the names of the service", async () => {
    const again = await post(sandbox, "/v1/claims", { client_ref: ids.client, jobId: ids.job });
    expect([again.status, again.body]).toEqual([409, { message: expect.stringContaining("claim") }]);
    const filtered = await call(sandbox, `/v1/claims?client_ref=${ids.client}`);
    expect((filtered.body as unknown as object[]).length).toBe(1);
    expect((await call(sandbox, "/v1/claims?skip=99")).body).toEqual([]);
  });

  it("has the dataset as CSV alone, with the delimiter and the type of the service", async () => {
    const { status, headers, text } = await call(sandbox, `/v1/diligence/dataset/${ids.job}`);
    expect([status, headers.get("content-type")]).toEqual([200, "text/x-table; charset=utf-8"]);
    const [heading = "", first = ""] = text.split("\r\n");
    expect(heading).toMatch(/^line;entryNumber;/);
    expect(first.split(";").length).toBeGreaterThanOrEqual(heading.split(";").length);
  });

  it("has the lines and the rows of a dataset with the fields that are the service's own", async () => {
    const fields = { "Dataset.rows[]": { fields: { entryNumber: "entry" } } };
    const extras = { "rows.*.checked": "RFC 2822 time", total: "integer" } as const;
    const file = readFileSync(fixture("sample_entries.csv"), "utf8");
    const readDataset = async (contentType: string) => {
      const own = { contentType, extras };
      const like = { ...OTHER_SERVICE, records: fields, operations: { "diligence.dataset": own } };
      const sandboxLike = await sandboxForTest({ ...START, like });
      const { body } = await call(sandboxLike, "/v1/diligence/submit", {
        method: "POST",
        body: submissionForm({ file }),
      });
      const { headers, text } = await call(sandboxLike, `/v1/diligence/dataset/${body.jobId}`);
      expect(headers.get("content-type")).toContain(contentType);
      return text;
    };
    const row = {
      entry: expect.any(String),
      line: expect.any(Number),
      checked: expect.stringMatching(/^\w{3}, /),
    };
    const lines = (await readDataset("application/x-ndjson")).trimEnd().split("\n");
    const { rows, total } = JSON.parse(await readDataset("application/vnd.api+json"));
    expect(total).toBe(1);
    expect(rows.length).toBeGreaterThan(1);
    expect(rows).toEqual(rows.map(() => expect.objectContaining(row)));
    expect(lines.map((line) => JSON.parse(line))).toEqual(rows);
  });

  it("has pages by number, and ids that the next request can use", async () => {
    const pageOf = async (query: string) => {
      const { body } = await call(sandbox, `/v1/clients?${query}`);
      return body.result as { clients: { client_id: string }[]; pages: number };
    };
    const [first, second] = [await pageOf("p=1&n=3"), await pageOf("p=2&n=3")];
    expect([first.clients.length, first.pages]).toEqual([3, 2]);
    expect(second.clients.length).toBeGreaterThan(0);
    const all = new Set([...first.clients, ...second.clients].map(({ client_id }) => client_id));
    expect(all.size).toBe(first.clients.length + second.clients.length);
  });

  it.each(["clients?p=0", "clients?p=x", "claims?skip=-1", "claims?skip=1e1", "offers?after="])(
    "refuses %s, which is no page",
    async (query) => {
      const { status, body } = await call(sandbox, `/v1/${query}`);
      expect([status, body.message]).toEqual([422, expect.stringContaining("not a page of this list")]);
    },
  );

  it("writes links with the origin, the fields that a state decides, and two jobs for one key", async () => {
    const status = await call(sandbox, `/v1/diligence/status/${ids.job}`);
    expect(status.body).toMatchObject({ state: "completed", phase: { number: 2 } });
    const created = await post(sandbox, "/v1/clients", { name: "Quay" });
    expect(created.headers.get("location")).toBe(`${sandbox.url}/v1/clients/${created.body.client_id}`);
    const headers = { "Idempotency-Key": "one" };
    const send = () => post(sandbox, "/v1/clients", { name: "Pier" }, { headers });
    const written = [await send(), await send()];
    expect(new Set(written.map(({ body }) => body.client_id)).size).toBe(2);
    const offers = await call(sandbox, "/v1/offers?after=0");
    expect(offers.body).toMatchObject({ self: `${sandbox.url}/v1/offers?after=0` });
  });
});

describe("startSandbox({ like }), what it does not imitate", () => {
  const open = [{ subject: "Client.name", seen: "title: text", reason: "no evidence which field it is" }];

  it("keeps the contract's name and value, and lists it", async () => {
    const sandbox = await sandboxForTest({ ...START, like: { serviceForm: 1, open } });
    expect(sandbox.like?.notImitated).toContainEqual(open[0]);
    const { body } = await call(sandbox, "/v1/clients");
    expect((body.data as object[])[0]).toHaveProperty("name", "Harbor & Pine Trading, LLC");
  });

  it("refuses what is no form, and grease", async () => {
    for (const [options, code] of [
      [{ like: {} }, "invalid_input"],
      [{ like: { ...OTHER_SERVICE, serviceForm: 2 } }, "invalid_input"],
      [{ like: { serviceForm: 1, records: { Client: { fields: { id: "name" } } } } }, "invalid_input"],
      [{ like: WITH_ACCEPTED, grease: "all" }, "option_conflict"],
    ] as const)
      await expect(sandboxForTest(options as object)).rejects.toMatchObject({ code });
  });
});

describe("claims sandbox up --like", () => {
  const difference = { subject: "Client.id", seen: "ulid: text", reason: "no evidence" };
  const service = { serviceForm: 1, open: [difference] };

  it("lists at the start and in its status what it does not imitate", async () => {
    const env = bareEnvironment();
    const { ready, waitForOutput } = await startSandboxUp(env, "--like", saveForm(service));
    expect(ready).toMatchObject({
      like: { isStale: false, notImitated: expect.arrayContaining([difference]) },
    });
    await waitForOutput(/not imitated: Client\.id: ulid: text/, "stderr");
    const status = await runCli(["sandbox", "status", "--json"], { env });
    expect(JSON.parse(status.stdout)).toMatchObject({
      like: { notImitated: expect.arrayContaining([difference]) },
    });
    const text = await runCli(["sandbox", "status"], { env });
    expect(text.stdout).toContain("ulid: text");
  });

  it("warns of a service that was compared with another contract", async () => {
    const at = "2026-11-20T00:00:00.000Z";
    const evidence = { firstAt: at, lastAt: at, contractHash: "0".repeat(64), serviceContractHash: null };
    const stale = { ...service, evidence: { ...evidence, responses: [], learned: [], findings: [] } };
    const { waitForOutput } = await startSandboxUp(bareEnvironment(), "--like", saveForm(stale));
    await waitForOutput(/another version of the contract/, "stderr");
  });

  it.each([
    ["other JSON", { log: { entries: [] } }, /expected the form of a service/],
    ["another version", { ...service, serviceForm: 7 }, /version 7/],
    ["an unknown member", { ...service, fields: [] }, /unknown member fields/],
    [
      "a field that does not exist",
      { ...service, records: { Client: { fields: { colour: "x" } } } },
      /Client has no field colour/,
    ],
  ])("refuses %s", async (_, document, message) => {
    const file = saveForm(document);
    const result = await runCli(["sandbox", "up", "--port", "0", "--like", file], {
      env: bareEnvironment(),
    });
    expect(result.code).toBe(2);
    expect(result.stderr).toMatch(message);
  });

  it("refuses --grease-each with --like", async () => {
    const result = await runCli(
      ["sandbox", "exec", "--like", saveForm(service), "--grease-each", "--json", "--", "true"],
      { env: bareEnvironment() },
    );
    expect(errorOf(result)).toMatchObject({ code: "option_conflict" });
  });
});
