import { describe, expect, it } from "vitest";
import { errorOf, fixture, runCli } from "../support/cli.ts";
import { startMachine, submitArgs } from "../support/sandbox.ts";
import { type Script, sendJson, startScriptedService } from "../support/scripted-service.ts";

const ROWS = [1, 2, 3].map((number) => ({ id: `c-${number}`, name: `Client ${number}` }));
const LINES = ["c-1", "c-2", "c-3"];

const send =
  (body: unknown, headers: Record<string, string> = {}): Script =>
  (_, response) =>
    sendJson(response, 200, body, headers);

async function list(script: Script, ...args: string[]) {
  const { env, requests } = await startScriptedService(script);
  return { ...(await runCli(["clients", "list", ...args], { env })), requests };
}

type Case = [name: string, body: unknown, headers?: Record<string, string>];

/** Each says that there are more than three rows; test/support/services/list-responses.ts has more forms. */
const INCOMPLETE: readonly Case[] = [
  ["has_more of Stripe", { data: ROWS, has_more: true }],
  ["a page of Laravel", { data: ROWS, current_page: 1, last_page: 2, next_page_url: "/v1/clients?page=2" }],
  ["a page as text", { data: ROWS, meta: { page: "1", total_pages: "3" } }],
  ["a cursor in an object", { data: ROWS, paging: { next: { after: "50" } } }],
  ["a cursor in a cursor", { data: ROWS, meta: { cursor: { next: "abc" } } }],
  ["a count", { count: 120, results: ROWS }],
  ["a number of other rows", { data: ROWS, remaining: 70 }],
  ["a scroll id", { data: ROWS, scrollId: "abc" }],
  ["a part", { data: ROWS, partial: true, warnings: ["shard 2 did not respond"] }],
  ["a total in a header", ROWS, { "x-total-count": "7" }],
  ["a number of the next page in a header", { data: ROWS }, { "x-next-page": "2" }],
  ["a list of links", { data: ROWS, links: ["self", "next"].map((rel) => ({ rel, href: `/${rel}` })) }],
  ["incomplete_results", { data: ROWS, incomplete_results: true }],
  ["a position that stands with the rows", { data: { importers: ROWS, more: "b" } }],
  ["a start that stands with the rows", { data: { importers: ROWS, next_start: "50" } }],
  ["a token that stands with the rows", { data: { importers: ROWS, continuationToken: "x" } }],
  ["Salesforce", { totalSize: 7, done: false, nextRecordsUrl: "/01g-3", records: ROWS }],
  ["done: false", { done: false, records: ROWS }],
  ["S3", { Contents: ROWS, NextContinuationToken: "3" }],
  ["DynamoDB", { Items: ROWS, Count: 3, LastEvaluatedKey: { id: "c-3" } }],
  ["Kubernetes", { metadata: { continue: "x", remainingItemCount: 4 }, items: ROWS }],
  ["Cloudflare", { result: ROWS, result_info: { page: 1, total_pages: 3 } }],
  ["Zoho", { data: ROWS, info: { more_records: true } }],
  ["Pipedrive", { data: ROWS, additional_data: { pagination: { more_items_in_collection: true } } }],
  ["Airtable", { records: ROWS, offset: "itr23sEjsdfEr3282/rec3" }],
  ["GoCardless", { clients: ROWS, meta: { cursors: { before: null, after: "ID123" }, limit: 3 } }],
  ["Hydra", { "hydra:member": ROWS, "hydra:view": { "hydra:next": "/clients?page=2" } }],
  ["Twitter", { data: ROWS, meta: { next_results: "?max_id=3" } }],
  ["DataTables", { data: ROWS, recordsTotal: 7 }],
  ["a count of OData", { value: ROWS, "@odata.count": 7 }],
];

describe("a list that says that there are more rows", () => {
  it.each(INCOMPLETE)("is an error after its rows with --all: %s", async (_, body, headers) => {
    const result = await list(send(body, headers), "--all", "-q");
    expect({ code: result.code, lines: result.stdout.trim().split("\n") }).toEqual({ code: 5, lines: LINES });
    expect(result.stderr).toMatch(/error: there are more clients than the 3 /);
    const json = await list(send(body, headers), "--all", "--json");
    expect(json.code).toBe(5);
    expect(JSON.stringify(JSON.parse(json.stdout))).toContain('"c-3"');
    expect(errorOf(json)).toMatchObject({ code: "list_incomplete", exitCode: 5, retryable: false });
  });

  it("is a warning without --all", async () => {
    const { code, stdout, stderr } = await list(send({ data: ROWS, has_more: true }), "-q");
    expect({ code, lines: stdout.trim().split("\n") }).toEqual({ code: 0, lines: LINES });
    expect(stderr).toMatch(/^warning: there are more clients.*\n$/);
  });

  it("is not tripped by pages that the client follows", async () => {
    const pages: Script = (request, response, count) =>
      sendJson(
        response,
        200,
        { data: [ROWS[count - 1]], has_more: count < 3, meta: { page: count, pages: 3, total: 3 } },
        count < 3 ? { link: `<${request.url?.split("?")[0]}?page=${count + 1}>; rel="next"` } : {},
      );
    expect(await list(pages, "--all", "-q")).toMatchObject({
      code: 0,
      stdout: "c-1\nc-2\nc-3\n",
      stderr: "",
    });
    const zeroBased: Script = (_, response, count) =>
      sendJson(response, 200, {
        data: [ROWS[count - 1]],
        ...{ number: count - 1, totalPages: 3, nextCursor: count < 3 ? `p${count}` : null },
      });
    expect(await list(zeroBased, "--all")).toMatchObject({ code: 0, stderr: "" });
  });

  it.each([
    { nextPosition: null },
    { more: false },
    { done: true },
    { offset: 0 },
    { recordsTotal: 3 },
    { endCursor: "x", hasNextPage: false },
    { last: true },
  ])("is not what ends with %j", async (signs) => {
    const whole = await list(send({ data: ROWS, ...signs }), "--all", "-q");
    expect(whole).toMatchObject({ code: 0, stderr: "" });
  });

  it("is an error if the client can follow only some of its pages", async () => {
    const pages: Script = (_, response, count) =>
      sendJson(response, 200, {
        data: [ROWS[count - 1]],
        nextCursor: count < 2 ? "x" : null,
        has_more: true,
      });
    const { code, stdout } = await list(pages, "--all", "-q");
    expect({ code, stdout }).toEqual({ code: 5, stdout: "c-1\nc-2\n" });
  });

  it("prints the rows at the border of two pages once, with a warning", async () => {
    const pages: Script = (_, response, count) =>
      sendJson(response, 200, { data: ROWS.slice(count - 1, count + 1), nextCursor: count < 2 ? "x" : null });
    const { code, stdout, stderr } = await list(pages, "--all", "-q");
    expect({ code, lines: stdout.trim().split("\n") }).toEqual({ code: 0, lines: LINES });
    expect(stderr).toBe("warning: the service sent 1 clients twice, which are shown once\n");
  });

  it.each([
    ["leads in a circle", { data: [], nextCursor: "x", has_more: false }],
    ["leads to the same rows again", { data: [ROWS[0]], nextCursor: "y", has_more: false }],
  ])("ends without an error where a cursor beside has_more: false %s", async (_, last) => {
    const pages: Script = (_, response, count) =>
      sendJson(response, 200, count < 2 ? { ...last, data: ROWS } : last);
    const { code, stdout, stderr } = await list(pages, "--all", "-q");
    expect([code, stdout.trim().split("\n"), stderr]).toEqual([0, LINES, ""]);
  });

  it("has the rows of a cursor beside has_more: false, if it leads to any", async () => {
    const pages: Script = (_, response, count) =>
      sendJson(response, 200, {
        data: ROWS.slice(count - 1, count),
        nextCursor: count < ROWS.length ? `${count}` : null,
        has_more: false,
      });
    const { code, stdout } = await list(pages, "--all", "-q");
    expect([code, stdout.trim().split("\n")]).toEqual([0, LINES]);
  });

  it("stays one document with --json if a later page is no list", async () => {
    const { code, stdout } = await list(
      (request, response) =>
        request.url?.includes("page=2")
          ? sendJson(response, 200, { ok: true })
          : sendJson(response, 200, { data: ROWS, note: "x" }, { link: '</v1/clients?page=2>; rel="next"' }),
      ...["--all", "--json"],
    );
    expect([code, JSON.parse(stdout)]).toEqual([5, { data: ROWS, note: "x" }]);
  });

  it("is a warning for a total if the request had a filter, or the list ended by its own sign", async () => {
    const { env } = await startScriptedService(send({ data: ROWS, total: 7 }));
    const filtered = await runCli(["claims", "list", "--client", "c", "--all", "-q"], { env });
    expect(filtered).toMatchObject({ code: 0, stderr: expect.stringMatching(/^warning: .*"total": 7/) });
    for (const paging of [{ has_more: false }, { next: null }, { page: 1, pages: 1 }]) {
      const paged = await list(send({ data: ROWS, total: 7, ...paging }), "--all", "-q");
      expect(paged).toMatchObject({ code: 0, stderr: expect.stringMatching(/^warning: .*"total": 7/) });
    }
  });
});

describe("a list whose place is not known", () => {
  it.each([
    ["HAL", { _embedded: { clients: ROWS }, _links: { self: { href: "x" } } }],
    ["two objects around it", { response: { clients: ROWS } }],
    ["an object by id", { clients: { "c-1": { name: "Client 1" } } }],
    ["no list", {}],
    ["a text", "ok"],
  ])("is an error that no later run solves, and names what finds it: %s", async (_, body) => {
    const one = await list(send(body), "-q");
    expect([one.code, one.stdout, one.stderr]).toEqual([
      5,
      "",
      expect.stringContaining("claims mapping learn"),
    ]);
    const all = await list(send(body), "--all", "--json");
    expect([all.code, all.stdout]).toEqual([5, ""]);
    expect(errorOf(all)).toMatchObject({
      code: "response_incomplete",
      message: "clients: expected a list in the response",
      retryable: false,
    });
  });
});

describe("rows of unknown fields", () => {
  const unknown = send({ data: [{ clientId: "x-1", displayName: "Acme" }] });

  it("are a warning that names the fields that are there", async () => {
    const { code, stderr } = await list(unknown);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: clients have the fields clientId, displayName, .*--fields.*\n$/);
  });

  it("are an error with -q, because there is no id", async () => {
    const { code, stdout, stderr } = await list(unknown, "-q");
    expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
    expect(stderr).toMatch(/error: clients have no id, but the fields clientId, displayName/);
    const some = await list(send({ data: [ROWS[0], { name: "Acme" }] }), "-q");
    expect(some).toMatchObject({ code: 5, stdout: "c-1\n" });
  });

  it("are none if one known column has a value", async () => {
    const some = send({ data: [{ name: "Acme", secret_name: "x" }, { id: "c-2" }] });
    expect(await list(some)).toMatchObject({ code: 0, stderr: "" });
    expect(await list(send({ data: [] }))).toMatchObject({ code: 0, stderr: "" });
    expect(await list(unknown, "--json")).toMatchObject({ code: 0, stderr: "" });
    expect(await list(unknown, "--fields", "clientId")).toMatchObject({
      code: 0,
      stdout: "x-1\n",
      stderr: "",
    });
  });
});

it.each([[], ["--all"]])("a list with --json %s is JSON, and no login page", async (...more) => {
  const page: Script = (_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<title>Log in</title>");
  const result = await list(page, "--json", ...more);
  expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 6, stdout: "" });
  expect(errorOf(result).message).toContain('a web page with the title "Log in"');
});

/** A service with a record in each list. */
async function fillService() {
  const { claims: run } = await startMachine();
  const id = async (...args: string[]) => (await run(...args, "-q")).stdout.trim();
  const job = await id(...submitArgs(fixture("sample_entries.csv"), "--wait"));
  const client = await id("clients", "create", "--name", "Acme");
  const claim = await id("claims", "create", "--client", client, "--job", job);
  await id("offers", "create", "--claim", claim);
  await id("webhooks", "test", "partner.test");
  return { claim, run };
}

/** The leaves of a JSON document as texts, without empty ones. */
function leavesOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return value === null ? [] : [String(value)];
  return Object.values(value).flatMap(leavesOf);
}

describe("the rows of a command", () => {
  it("have every field of the JSON in CSV", async () => {
    const { run } = await fillService();
    const lists = [
      "clients list",
      "claims list",
      "offers list",
      "revenue ledger",
      "webhooks list",
      "webhooks deliveries",
    ];
    for (const list of lists) {
      const [item] = JSON.parse((await run(...list.split(" "), "--json")).stdout).data;
      const [heading = ""] = (await run(...list.split(" "), "--csv")).stdout.split("\r\n");
      expect(heading.split(",").sort(), list).toEqual(Object.keys(item).sort());
    }
  });

  it("have every value of the JSON in a pipe, for a claim and the dashboard too", async () => {
    const { claim, run } = await fillService();
    for (const args of [
      ["claims", "status", claim],
      ["revenue", "dashboard"],
    ]) {
      const document = JSON.parse((await run(...args, "--json")).stdout);
      const cells = (await run(...args)).stdout.split(/[\t\n]/);
      // The time of the dashboard is that of its request.
      const { asOf: _, ...rest } = document;
      expect(cells).toEqual(expect.arrayContaining(leavesOf(rest)));
    }
  });

  it("name --all for a --limit above the maximum", async () => {
    const { run } = await fillService();
    for (const limit of ["500", "20000"])
      expect(errorOf(await run("clients", "list", "--limit", limit, "--json")).hint).toContain("--all");
  });
});
