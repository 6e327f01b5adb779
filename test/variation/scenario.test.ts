import { createReadStream, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../sandbox/engine/random.ts";
import { createUnknownFields } from "../../sandbox/engine/service/grease/unknown-fields.ts";
import { chooseVariants } from "../../sandbox/engine/service/grease/variants.ts";
import { GREASE_DIMENSIONS } from "../../src/contract/grease.ts";
import { ALL_OPERATIONS, type OperationId } from "../../src/contract/operations/operations.ts";
import { PROBLEMS } from "../../src/contract/problems.ts";
import { findJobId, operations } from "../../src/index.ts";
import { errorOf, fixture, runCli } from "../support/cli.ts";
import { catchError, clientForTest } from "../support/client.ts";
import { NOTIFICATION_FLAGS, ORGANIZATION_FLAGS } from "../support/sample-claims.ts";
import { oauthEnvironmentOf, SELLER, submitArgs } from "../support/sandbox.ts";
import { startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext } from "../support/terminal.ts";
import {
  findLastResponse,
  readStoredIds,
  readStoredRows,
  SEEDS,
  sortLines,
  startVariedService,
  VARIATIONS,
  variationsCovering,
} from "../support/variations.ts";

it("the seeds of the variations cover every variant of every dimension and every unknown field name", () => {
  const variantsOf = (seed: number) => {
    const random = seededRandom(seed);
    const choices = Object.entries(chooseVariants(GREASE_DIMENSIONS, random)).map((choice) =>
      choice.join("="),
    );
    return [...choices, ...Object.keys(createUnknownFields(random).addToRoot({}))];
  };
  const allSeeds = Array.from({ length: 500 }, (_, seed) => seed);
  expect(new Set(SEEDS.flatMap(variantsOf))).toEqual(new Set(allSeeds.flatMap(variantsOf)));
});

it("--json prints the bytes of a response with unusual JSON formatting", async () => {
  const bytes =
    '{ "items" : [ { "id" : "j-1", "amount" : 1.0 } ], "rf8Review" : {},\r\n\t"state":"done", "job": {"id":"j\\u002d1"} }';
  const { env } = await startScriptedService((_, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(bytes),
  );
  for (const line of [
    submitArgs(fixture("scenario_partial.csv")),
    ["diligence", "status", "j-1"],
    ["diligence", "report", "j-1"],
    ["clients", "create", "--name", "Acme"],
    ["clients", "list"],
    ["scans", "get", "j-1"],
  ])
    expect((await runCli([...line, "--json"], { env })).stdout, line.join(" ")).toBe(`${bytes}\n`);
});

/** Entries of several grades, with one for litigation. */
const FEW_ENTRIES = readFileSync(fixture("sample_entries.csv"), "utf8").split("\n").slice(0, 21).join("\n");

describe.each(VARIATIONS)("the commands of all operations on %s", (_, variation) => {
  it("succeed, print the stored ids, and report consistent amounts", async () => {
    const { sandbox, cwd, env, exits, idOf } = await startVariedService(variation);
    /** Runs a command with --json and expects the bytes of the response. */
    const readJson = async (operation: OperationId, ...args: string[]) => {
      const { stdout } = await exits(0, ...operation.split("."), ...args, "--json");
      expect(stdout, operation).toBe(`${(await findLastResponse(sandbox, operation)).text}\n`);
      return JSON.parse(stdout);
    };
    const client = await idOf("clients", "create", "--name", SELLER, "--importer-number", "12-3456789");
    expect(await readStoredIds(sandbox, "client")).toContain(client);
    writeFileSync(join(cwd, "few.csv"), FEW_ENTRIES);
    const job = await idOf(...submitArgs("few.csv", "--wait"));
    const { id: claim } = await readJson("claims.create", "--client", client, "--job", job);
    const [stored] = await readStoredRows(sandbox, "claim");
    expect(stored).toMatchObject({ id: claim, client_id: client, job_id: job });
    const offer = await idOf("offers", "create", "--claim", claim);
    expect(await readStoredIds(sandbox, "offer")).toEqual([offer]);
    expect(await idOf("offers", "list", "--claim", claim)).toBe(offer);
    expect(await idOf("claims", "list", "--status", "financed", "--all")).toBe(claim);
    const piped = await runCli(["litigation", "enroll", "-", "-q"], { env, input: `${claim}\n` });
    const [enrolled] = await readStoredRows(sandbox, "enrolled_claim");
    expect(piped.stdout).toBe(`${enrolled?.enrollment_id}\n`);
    expect(enrolled).toMatchObject({ claim_id: claim, litigation_cents: stored?.litigation_cents });
    const status = await readJson("claims.status", claim);
    expect(status.history.map((step: { status: string }) => step.status)).toEqual([
      "open",
      "financed",
      "in_litigation",
    ]);

    const fees = await readStoredRows(sandbox, "revenue");
    await readJson("revenue.ledger");
    const { revenue, claims } = await readJson("revenue.dashboard");
    expect(revenue.totalCents).toBe(fees.reduce((sum, { amount_cents: cents }) => sum + Number(cents), 0));
    expect(claims).toMatchObject({ count: 1, estimatedClaimCents: stored?.estimated_claim_cents });

    const scanned = await exits(0, "scans", "create", "--wait", "--json");
    expect(scanned.stdout).toBe(`${(await findLastResponse(sandbox, "scans.get")).text}\n`);
    const [scan] = await readStoredIds(sandbox, "scan");
    expect(scanned.stderr).toContain(`"scanId":"${scan}"`);
    const delta = await idOf("scans", "delta", scan ?? "", "--wait");
    expect(
      (await readStoredRows(sandbox, "scan")).map(({ id, mode, baseline }) => [id, mode, baseline]),
    ).toEqual([
      [scan, "full", null],
      [delta, "delta", scan],
    ]);
    expect(await readJson("scans.get", delta)).toMatchObject({ id: delta, baselineScanId: scan });
    expect(await readJson("scans.summary", delta)).toMatchObject({ changes: { added: 0 } });

    const organization = await readJson("orgs.onboard", "north-pier", ...ORGANIZATION_FLAGS);
    expect(organization).toMatchObject({ id: "north-pier", name: "North Pier" });
    expect(await readJson("orgs.get", "north-pier")).toMatchObject(organization);
    const notified = await readJson("notifications.create", ...NOTIFICATION_FLAGS, "--job", job);
    expect(notified).toMatchObject({ diligenceJobId: job, status: "requested" });
    expect(await readStoredIds(sandbox, "notification")).toEqual([notified.id]);

    await exits(0, "diligence", "dataset", job);
    const partial = await exits(9, ...submitArgs(fixture("scenario_partial.csv"), "--wait", "-q"));
    await exits(0, "diligence", "resume", partial.stdout.trim());
    await exits(0, "api", "GET", "/v1/docs/openapi");
    await exits(0, "webhooks", "create", "http://127.0.0.1:9/hook", "--secret-file", "whsec.txt");
    await exits(0, "webhooks", "list");
    await readJson("webhooks.test", "partner.test");
    await exits(0, "webhooks", "deliveries");
    await exits(0, "clients", "list", "--limit", "1");
    const oauth = await runCli(["clients", "list", "-q"], { env: oauthEnvironmentOf(sandbox) });
    expect(sortLines(oauth)).toEqual(await readStoredIds(sandbox, "client"));
    const succeeded = await sandbox.requests.list({ status: "2xx" });
    expect(new Set(succeeded.map(({ operation }) => operation))).toEqual(
      new Set(ALL_OPERATIONS.map(({ id }) => id)),
    );
    expect(await sandbox.requests.list({ status: "4xx" })).toEqual([]);
    const lost = await exits(3, "diligence", "status", "7d9c", "--json");
    // Of a page, only the title is shown.
    const text = sandbox.grease.variants.includes("errorShape=html")
      ? PROBLEMS.job_not_found.title
      : "no job 7d9c";
    expect(errorOf(lost)).toMatchObject({ status: 404, message: expect.stringContaining(text) });
    // The commands have received every variant.
    expect(new Set(sandbox.grease.applied)).toEqual(new Set(sandbox.grease.variants));
  });
});

describe.each(variationsCovering("jobIdField"))("the client library on %s", (_, variation) => {
  it("the client finds the job id, returns the request id and follows the pages of a list", async () => {
    const { sandbox } = await startVariedService(variation);
    const client = clientForTest(sandbox.url, {
      credential: { kind: "api_key", key: sandbox.credentials.sandbox.apiKey },
    });
    const path = fixture("scenario_partial.csv");
    const file = { name: "entries.csv", contentType: "text/csv", size: statSync(path).size };
    const { body, headers } = await client.send(operations.diligence.submit, {
      multipart: {
        fields: { seller_name: SELLER, requires_protest_documentation: "true" },
        file: { ...file, open: () => createReadStream(path) },
      },
    });
    const [id] = await readStoredIds(sandbox, "job");
    const job = JSON.parse(body.toString("utf8"));
    expect(findJobId(job, headers.location)).toBe(id);
    // Without Location the id is in the body, unless the variant is Location.
    expect(findJobId(job, undefined)).toBe(variation.choices.jobIdField === "Location" ? null : id);
    expect(headers["x-request-id"]).toBe((await findLastResponse(sandbox, "diligence.submit")).requestId);
    const statuses: number[] = [];
    for await (const { status } of client.list(operations.clients.list, { query: { limit: 1 } }))
      statuses.push(status);
    expect(statuses).toEqual([200, 200]);
    const refused = await catchError(client.send(operations.claims.status, { query: { claimId: "none" } }));
    const { status, requestId } = await findLastResponse(sandbox, "claims.status");
    expect(refused).toMatchObject({ kind: "not_found", status, requestId });
  });
});

describe.each(variationsCovering("timestampFormat"))("terminal output on %s", (_, variation) => {
  it("has cards and tables with the stored ids and amounts", async () => {
    const { sandbox, cwd, env, idOf } = await startVariedService(variation);
    const render = async (...args: string[]) => {
      const terminal = createTerminalContext({ env, cwd });
      expect(await terminal.run(...args, "--no-color"), terminal.stderr.text).toBe(0);
      expect(terminal.stdout.text, args.join(" ")).not.toMatch(/[\u0000\u001b\u202e]/);
      return terminal.stdout.text;
    };
    writeFileSync(join(cwd, "few.csv"), FEW_ENTRIES);
    const card = await render(...submitArgs("few.csv", "--wait"));
    const [job] = await readStoredIds(sandbox, "job");
    expect(card).toContain(`Report of job ${job}\n`);
    expect(card).toContain(`claims diligence dataset ${job} `);
    expect(await render("diligence", "status", job ?? "")).toContain(String(job));
    expect(await render("clients", "list")).toMatch(/^id +name +importer +reference/);
    const [client] = await readStoredIds(sandbox, "client");
    const claim = await idOf("claims", "create", "--client", client ?? "", "--job", job ?? "");
    expect(await render("claims", "status", claim)).toMatch(/^History\n {2}open +\S/m);
    expect(await render("offers", "create", "--claim", claim)).toMatch(/^ {2}status +accepted$/m);
    const [stored] = await readStoredRows(sandbox, "claim");
    const money = (Number(stored?.estimated_claim_cents) / 100).toLocaleString("en", {
      minimumFractionDigits: 2,
    });
    for (const line of [
      ["claims", "list"],
      ["revenue", "dashboard"],
    ])
      expect(await render(...line)).toContain(`$${money}`);
    const scan = await idOf("scans", "create");
    await sandbox.idle();
    expect(await render("scans", "get", scan)).toContain(`Next\n  claims scans summary ${scan}\n`);
    expect(await render("scans", "summary", scan)).toContain(`$${money}`);
    expect(await render("orgs", "get", "juniper-row")).toMatch(/^ {2}contactName +Maren Holloway$/m);
  });
});
