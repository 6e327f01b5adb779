import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCli, temporaryFolder } from "../support/cli.ts";
import { type Script, sendJson, startScriptedService } from "../support/scripted-service.ts";

const ROWS = [1, 2].map((number) => ({ uid: `c-${number}`, name: `Client ${number}` }));

const save = (paging: object): string => {
  const file = join(temporaryFolder(), "service.json");
  const operations = { "clients.list": { items: "rows", paging } };
  writeFileSync(
    file,
    JSON.stringify({ serviceForm: 1, records: { Client: { fields: { id: "uid" } } }, operations }),
  );
  return file;
};

async function listAll(script: Script, paging: object) {
  const { env, requests } = await startScriptedService(script);
  const args = ["clients", "list", "--all", "-q", "--like", save(paging)];
  return { ...(await runCli(args, { env })), requests };
}

describe("the pages of a service with a form", () => {
  const page = { kind: "page", parameter: "p", size: "n", rows: 2, current: "p", pages: "pages" };

  it("are read to the last number", async () => {
    const script: Script = ({ url = "" }, response) => {
      const number = Number(new URL(url, "http://x").searchParams.get("p") ?? 1);
      const rows = [{ uid: `c-${number}`, name: "Client" }];
      sendJson(response, 200, { rows, p: number, pages: 3 });
    };
    const { code, stdout, stderr } = await listAll(script, { ...page, rows: 1 });
    expect([code, stdout], stderr).toEqual([0, "c-1\nc-2\nc-3\n"]);
  });

  it("stop where the service ignores the parameter and repeats a page", async () => {
    const script: Script = (_, response) => sendJson(response, 200, { rows: ROWS, p: 1, pages: 3 });
    const result = await listAll(script, page);
    expect([result.code, result.stdout], result.stderr).toEqual([5, "c-1\nc-2\n"]);
    expect(result.requests.length).toBeLessThan(4);
  });

  it.each(["link", "cursor"])("are never asked of another host: a %s in the body", async (kind) => {
    const elsewhere = await startScriptedService((_, response) => sendJson(response, 200, { rows: ROWS }));
    const script: Script = (_, response) =>
      sendJson(response, 200, { rows: ROWS, next: `${elsewhere.url}/v1/clients?after=x` });
    const result = await listAll(script, { kind, parameter: "after", next: "next", isUrl: true });
    expect(elsewhere.requests).toEqual([]);
    expect(result.requests.map(({ url }) => url)).toEqual(["/v1/clients", "/v1/clients?after=x"]);
    expect([result.code, result.stdout], result.stderr).toEqual([5, "c-1\nc-2\n"]);
  });

  it("follow no Link header to another host", async () => {
    const elsewhere = await startScriptedService((_, response) => sendJson(response, 200, { rows: ROWS }));
    const headers = { link: `<${elsewhere.url}/v1/clients?after=x>; rel="next"` };
    const script: Script = (_, response) => sendJson(response, 200, { rows: ROWS }, headers);
    const result = await listAll(script, { kind: "link", parameter: "after", link: true });
    expect(elsewhere.requests).toEqual([]);
    expect([result.code, result.stdout], result.stderr).toEqual([5, "c-1\nc-2\n"]);
  });

  it.each([
    { rows: ROWS, paging: { more: 1, has_more: true } },
    { rows: ROWS, result: { meta: { hasMore: true } } },
  ])("are incomplete where the form does not say how they go on, and the response does: %j", async (body) => {
    const result = await listAll((_, response) => sendJson(response, 200, body), { kind: "none" });
    expect([result.code, result.stdout], result.stderr).toEqual([5, "c-1\nc-2\n"]);
    expect(result.stderr).toContain("more clients than the 2");
  });

  it("stop where the service changes its form in the middle", async () => {
    const script: Script = (_, response, count) =>
      count === 1
        ? sendJson(response, 200, { rows: ROWS, p: 1, pages: 3 })
        : sendJson(response, 200, { entries: [{ number: "c-3" }], p: 2, pages: 3 });
    const result = await listAll(script, page);
    expect(result.code, result.stderr).toBe(5);
    expect(result.stdout).toBe("c-1\nc-2\n");
  });
});
