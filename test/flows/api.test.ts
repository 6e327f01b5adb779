import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bareEnvironment, errorOf, runCli, temporaryFile } from "../support/cli.ts";
import { type Script, sendJson, startScriptedService } from "../support/scripted-service.ts";

const ok: Script = (_, response) => sendJson(response, 200, { ok: true });

/** Runs `claims api` against a service that accepts every request, and returns that request. */
async function send(args: readonly string[], input?: string) {
  const { env, requests } = await startScriptedService(ok);
  const result = await runCli(["api", ...args], { env, ...(input !== undefined && { input }) });
  return { ...result, request: requests[0] };
}

/** Runs a command line that must fail before a request, and returns its error. */
async function expectRefusal(...args: string[]) {
  const { env, requests } = await startScriptedService(ok);
  const result = await runCli(["api", ...args, "--json"], { env });
  expect(result).toMatchObject({ code: 2, stdout: "" });
  expect(requests).toEqual([]);
  return errorOf(result);
}

describe("api -f and -F", () => {
  it("build a JSON body from text, typed values and lists", async () => {
    const file = temporaryFile("note.txt", "two\nlines");
    const texts = ["name=Acme = Co", "id=007", "tags[]=a", "tags[]=b"];
    const typed = ["count=7", "on=true", "off=null", `note=@${file}`, "tags[]=3"];
    const { request, code } = await send([
      ...["POST", "/v1/clients", ...texts.flatMap((field) => ["-f", field])],
      ...typed.flatMap((field) => ["-F", field]),
    ]);
    expect(code).toBe(0);
    expect(request?.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(request?.body ?? "")).toEqual({
      name: "Acme = Co",
      id: "007",
      count: 7,
      on: true,
      off: null,
      note: "two\nlines",
      tags: ["a", "b", 3],
    });
  });

  it("build the query of a GET, with repeated keys", async () => {
    const fields = ["-f", "event=x y", "-f", "event=z", "-F", "n[]=5"];
    const { request } = await send(["get", "/v1/clients?a=1", ...fields]);
    expect(request).toMatchObject({ method: "GET", body: "" });
    const { searchParams } = new URL(request?.url ?? "", "http://service");
    expect([...searchParams]).toEqual([
      ["a", "1"],
      ["event", "x y"],
      ["event", "z"],
      ["n[]", "5"],
    ]);
  });

  it.each([
    ["a field without an equals sign", ["-f", "name"], "option_invalid"],
    ["an unclosed bracket", ["-f", "a[b=1"], "option_invalid"],
    ["a field that is given twice", ["-f", "a=1", "-f", "a=2"], "option_conflict"],
    ["a field that is both a list and a text", ["-f", "a[]=1", "-f", "a=2"], "option_conflict"],
    ["a number that JSON would change", ["-F", "n=12345678901234567890"], "option_invalid"],
    ["a second body", ["-f", "a=1", "--input", "-"], "option_conflict"],
    ["a missing file", ["-F", "a=@/nowhere"], "cannot_read"],
    ["--paginate for a write", ["--paginate"], "option_conflict"],
  ])("refuse %s", async (_, args, code) => {
    expect(await expectRefusal("POST", "/v1/clients", ...args)).toMatchObject({ code });
  });
});

describe("api PATH", () => {
  it.each(["/../x", "/v1/.%2e/../x?a", "/\\..\\..\\x", "/.\t./x", "/../basement"])(
    "refuses %j, which leaves the base URL",
    async (path) => {
      const { url, env, requests } = await startScriptedService(ok);
      for (const method of ["GET", "POST"]) {
        const result = await runCli(["api", method, path, "--json"], {
          env: { ...env, CLAIMS_BASE_URL: `${url}/base` },
        });
        expect(errorOf(result)).toMatchObject({ code: "path_elsewhere", exitCode: 2 });
      }
      expect(requests).toEqual([]);
    },
  );

  it("accepts any path below the base URL, with any query", async () => {
    const { url, env, requests } = await startScriptedService(ok);
    const path = "/v1/..hidden/a...?up=/../../x";
    await runCli(["api", "GET", path], { env: { ...env, CLAIMS_BASE_URL: `${url}/base/` } });
    expect(requests.map(({ url }) => url)).toEqual([`/base${path}`]);
  });
});

it("the query of api is not in the write log, nor in what --verbose and an error print", async () => {
  const service = await startScriptedService((_, response) => sendJson(response, 500, {}));
  const env: Record<string, string> = { ...bareEnvironment(), ...service.env };
  const path = "/v1/clients?token=tr_ab12cd34&limit=2";
  for (const method of ["GET", "POST"]) {
    const { code, stderr } = await runCli(["api", method, path, "--verbose"], { env });
    expect([code, stderr]).toEqual([6, expect.stringContaining(`${method} /v1/clients?…`)]);
    expect(stderr).not.toContain("tr_ab12cd34");
  }
  const log = readFileSync(join(env.CLAIMS_CONFIG_DIR ?? "", "state", "writes.jsonl"), "utf8");
  expect(log).toContain('"operation":"POST /v1/clients"');
  expect(log).not.toContain("tr_ab12cd34");
});

it("api --input sends a file or stdin unchanged, also with --no-input", async () => {
  const args = ["POST", "/v1/clients", "--input", "-", "--no-input", "--yes"];
  const { request } = await send(args, '{"a": 1}\n');
  expect(request?.body).toBe('{"a": 1}\n');
  expect(request?.headers["content-type"]).toBe("application/json");
  const file = temporaryFile("rows.csv", "a,b\n");
  const csv = await send(["PUT", "/v1/rows", "--no-input", "--input", file, "-H", "Content-Type: text/csv"]);
  expect(csv.request).toMatchObject({ method: "PUT", body: "a,b\n" });
  expect(csv.request?.headers).toMatchObject({ "content-type": "text/csv", "content-length": "4" });
});

describe("api -H", () => {
  it("adds headers, and joins repeated ones", async () => {
    const { request } = await send([
      "POST",
      "/v1/clients",
      "-H",
      "Accept: text/csv",
      "-H",
      "X-A:1",
      "-H",
      "x-a: 2",
      "-H",
      "Idempotency-Key: mine",
    ]);
    expect(request?.headers).toMatchObject({ accept: "text/csv", "x-a": "1, 2", "idempotency-key": "mine" });
    expect(request?.headers.authorization).toBe("Bearer sk_of_another_service");
  });

  it.each(["Authorization", "X-API-Key", "Cookie", "Content-Length", "Transfer-Encoding", "Host"])(
    "refuses %s without printing its value",
    async (name) => {
      const error = await expectRefusal("GET", "/v1/clients", "-H", `${name}: a value of mine`);
      expect(error).toMatchObject({ code: "option_invalid" });
      expect(JSON.stringify(error)).not.toContain("of mine");
    },
  );
});

describe("api --paginate", () => {
  const paged: Script = (request, response) => {
    const page = Number(new URL(request.url ?? "", "http://service").searchParams.get("cursor") ?? 1);
    const text = JSON.stringify({ data: [page], nextCursor: page < 3 ? String(page + 1) : null }, null, 2);
    response.writeHead(200, { "content-type": "application/json" }).end(`${text}\n`);
  };

  it("prints one page per line, or an array with --json", async () => {
    const { env, requests } = await startScriptedService(paged);
    const args = ["api", "GET", "/v1/clients", "-f", "limit=1", "--paginate"];
    const { code, stdout } = await runCli(args, { env });
    expect(code).toBe(0);
    const pages = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).data);
    expect(pages).toEqual([[1], [2], [3]]);
    expect(requests.map(({ url }) => url)).toEqual(
      [1, 2, 3].map((page) => `/v1/clients?limit=1${page === 1 ? "" : `&cursor=${page}`}`),
    );
    const whole = await runCli([...args, "--json"], { env });
    expect(JSON.parse(whole.stdout).map((page: { data: unknown }) => page.data)).toEqual(pages);
  });

  const rows = [{ id: "c-1" }, { id: "c-2" }];

  it.each<[name: string, body: unknown, headers?: Record<string, string>]>([
    ["has_more", { data: rows, has_more: true }],
    ["a next page on another host", { data: rows }, { link: '<https://x.example/v1/clients>; rel="next"' }],
    ["a flag beside a list that is not found", { response: { clients: rows }, truncated: true }],
  ])(
    "prints the page, then fails if it cannot follow what the body says: %s",
    async (_, body, headers = {}) => {
      const { env } = await startScriptedService((_request, response) =>
        sendJson(response, 200, body, headers),
      );
      const args = ["api", "GET", "/v1/clients", "-f", "limit=2", "--paginate"];
      const lines = await runCli(args, { env });
      expect([lines.code, JSON.parse(lines.stdout)], lines.stderr).toEqual([5, body]);
      expect(lines.stderr).toContain("error: there are more pages than the service sent: ");
      const whole = await runCli([...args, "--json"], { env });
      expect([whole.code, JSON.parse(whole.stdout)]).toEqual([5, [body]]);
      expect(errorOf(whole)).toMatchObject({ code: "list_incomplete", retryable: false });
    },
  );

  it.each([
    ["a web page", "<!doctype html><title>Maintenance</title>", 6],
    ["cut JSON", '{"data":[{"id":"c-', 6],
    ["an error with 200", '{"error":{"code":"internal","message":"cursor lost"}}', 5],
  ])("fails if a later page is %s", async (_, text, expected) => {
    const { env } = await startScriptedService((request, response) =>
      request.url === "/v1/x"
        ? sendJson(response, 200, { data: rows }, { link: '</v1/x?p=2>; rel="next"' })
        : response.writeHead(200).end(text),
    );
    const { code, stdout } = await runCli(["api", "GET", "/v1/x", "--paginate"], { env });
    expect([code, JSON.parse(stdout)]).toEqual([expected, { data: rows }]);
  });

  it("ends where the response says that no page follows, whatever its cursor", async () => {
    const { env, requests } = await startScriptedService((_, response, count) =>
      sendJson(response, 200, { data: count === 1 ? rows : [], nextCursor: "x", has_more: count === 1 }),
    );
    for (const args of [
      ["api", "GET", "/v1/clients", "--paginate"],
      ["clients", "list", "--all"],
    ]) {
      expect(await runCli(args, { env })).toMatchObject({ code: 0, stderr: "" });
      expect(requests.splice(0)).toHaveLength(2);
    }
  });

  it("only warns of a total if the query may be a filter, and says nothing of a whole list", async () => {
    const total: Script = (_, response) => sendJson(response, 200, { data: rows, total: 25 });
    const { env } = await startScriptedService(total);
    const filtered = await runCli(["api", "GET", "/v1/claims?client=c", "--paginate"], { env });
    expect(filtered).toMatchObject({ code: 0, stderr: expect.stringMatching(/^warning: .*"total": 25/) });
    for (const body of [{ data: rows, total: 2, has_more: false }, { openapi: "3.1.0" }, [1, 2]]) {
      const { env } = await startScriptedService((_, response) => sendJson(response, 200, body));
      expect(await runCli(["api", "GET", "/v1/x", "--paginate"], { env })).toMatchObject({
        code: 0,
        stderr: "",
      });
    }
  });
});
