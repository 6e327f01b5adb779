import { describe, expect, it } from "vitest";
import { sandboxForTest } from "../support/sandbox.ts";
import { call, post } from "../support/sandbox-requests.ts";

const PATH = "/v1/clients";
const COMPLETE = {
  name: "Blue Anchor Tools, Inc.",
  importerNumber: "98-7654321AB",
  contactEmail: "desk@blueanchor.example",
  reference: "BA-7",
};

it("POST /v1/clients adds a client, with all fields or only a name, and lists it first", async () => {
  const sandbox = await sandboxForTest();
  const complete = await post(sandbox, PATH, COMPLETE);
  expect(complete.status).toBe(201);
  expect(complete.body).toMatchObject({ ...COMPLETE, createdAt: "2026-11-20T00:00:00.000Z" });
  const minimal = await post(sandbox, PATH, { name: "Acme" });
  expect(minimal.body).toMatchObject({ importerNumber: null, contactEmail: null, reference: null });
  const { body } = await call(sandbox, PATH);
  expect((body.data as object[]).slice(0, 2)).toEqual([minimal.body, complete.body]);
});

describe("GET /v1/clients", () => {
  it("lists the same seeded clients of the first partner on every start", async () => {
    const [one, other] = [await sandboxForTest(), await sandboxForTest()];
    const list = await call(one, PATH);
    expect((list.body.data as { name: string }[]).map(({ name }) => name)).toEqual([
      "Harbor & Pine Trading, LLC",
      "Copper Kettle Housewares, Inc.",
    ]);
    expect((await call(other, PATH)).text).toBe(list.text);
  });

  it("returns pages with a Link header and a cursor", async () => {
    const sandbox = await sandboxForTest();
    const first = await call(sandbox, `${PATH}?limit=1`);
    const next = /<(.*)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    expect(next).toContain("limit=1&");
    const second = await call(sandbox, next);
    expect(second.body.nextCursor).toBeNull();
    const all = (await call(sandbox, PATH)).body.data;
    expect([...(first.body.data as object[]), ...(second.body.data as object[])]).toEqual(all);
  });
});
