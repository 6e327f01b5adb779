import { describe, expect, it } from "vitest";
import { sandboxForTest } from "../../../support/sandbox.ts";
import {
  call,
  type InvalidBody,
  listOtherCredentials,
  post,
  problemOf,
} from "../../../support/sandbox-requests.ts";

const PATH = "/v1/clients";
const WHOLE = {
  name: "Blue Anchor Tools, Inc.",
  importerNumber: "98-7654321AB",
  contactEmail: "desk@blueanchor.example",
  reference: "BA-7",
};

describe("POST /v1/clients", () => {
  it("adds a client, with all fields or only a name, and lists it first", async () => {
    const sandbox = await sandboxForTest();
    const whole = await post(sandbox, PATH, WHOLE);
    expect(whole.status).toBe(201);
    expect(whole.body).toMatchObject({ ...WHOLE, createdAt: "2026-11-20T00:00:00.000Z" });
    const bare = await post(sandbox, PATH, { name: "Acme" });
    expect(bare.body).toMatchObject({ importerNumber: null, contactEmail: null, reference: null });
    const { body } = await call(sandbox, PATH);
    expect((body.data as object[]).slice(0, 2)).toEqual([bare.body, whole.body]);
  });

  it("is idempotent under its key", async () => {
    const sandbox = await sandboxForTest();
    const headers = { "idempotency-key": "one" };
    const first = await post(sandbox, PATH, WHOLE, { headers });
    const again = await post(sandbox, PATH, WHOLE, { headers });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    expect(problemOf(await post(sandbox, PATH, { name: "Other" }, { headers })).code).toBe(
      "idempotency_key_reused",
    );
  });

  it.each<InvalidBody>([
    ["no field", {}, ["/name"]],
    ["a name that is no text", { name: 7 }, ["/name"]],
    ["no name but null", { name: null }, ["/name"]],
    ["a blank name", { name: "  " }, ["/name"]],
    ["a name too long", { name: "x".repeat(201) }, ["/name"]],
    ["a name of two lines", { name: "a\r\nb" }, ["/name"]],
    ["a name of nothing but a NUL", { name: "\u0000" }, ["/name"]],
    ["half a character", { name: "a\ud83d" }, ["/name"]],
    ["an importer number that is no text", { ...WHOLE, importerNumber: 12 }, ["/importerNumber"]],
    ["a social security number", { ...WHOLE, importerNumber: "123-45-6789" }, ["/importerNumber"]],
    ["an importer number too long", { ...WHOLE, importerNumber: "12-3456789ABC" }, ["/importerNumber"]],
    ["an address that is no text", { ...WHOLE, contactEmail: [] }, ["/contactEmail"]],
    ["an address that is none", { ...WHOLE, contactEmail: "desk" }, ["/contactEmail"]],
    ["an address too long", { ...WHOLE, contactEmail: `${"x".repeat(250)}@a.example` }, ["/contactEmail"]],
    ["an address with a NUL", { ...WHOLE, contactEmail: "a@b\u0000c" }, ["/contactEmail"]],
    ["a reference that is no text", { ...WHOLE, reference: {} }, ["/reference"]],
    ["a blank reference", { ...WHOLE, reference: " " }, ["/reference"]],
    ["an escape sequence", { ...WHOLE, reference: "\u001b[31mred" }, ["/reference"]],
    ["a reference too long", { ...WHOLE, reference: "x".repeat(101) }, ["/reference"]],
    ["an unknown field", { ...WHOLE, id: "mine" }, ["/id"]],
    ["a list", [WHOLE], [""]],
  ])("refuses %s and names the field", async (_, body, at) => {
    const sandbox = await sandboxForTest();
    const before = await call(sandbox, PATH);
    expect(problemOf(await post(sandbox, PATH, body))).toEqual({
      status: 422,
      code: "validation_failed",
      at,
    });
    expect((await call(sandbox, PATH)).body).toEqual(before.body);
  });

  it("refuses a body that is not JSON", async () => {
    const sandbox = await sandboxForTest();
    expect((await post(sandbox, PATH, null, { body: "{" })).status).toBe(400);
    expect(
      (await post(sandbox, PATH, null, { body: "name=x", headers: { "content-type": "text/plain" } })).status,
    ).toBe(415);
  });
});

describe("GET /v1/clients", () => {
  it("has the seeded clients in the first partner's sandbox, the same on every start", async () => {
    const [one, other] = [await sandboxForTest(), await sandboxForTest()];
    const list = await call(one, PATH);
    expect((list.body.data as { name: string }[]).map(({ name }) => name)).toEqual([
      "Harbor & Pine Trading, LLC",
      "Copper Kettle Housewares, Inc.",
    ]);
    expect((await call(other, PATH)).text).toBe(list.text);
  });

  it("shows only the caller's clients", async () => {
    const sandbox = await sandboxForTest();
    for (const [who, token] of listOtherCredentials(sandbox))
      expect((await call(sandbox, PATH, { token })).body, who).toEqual({ data: [], nextCursor: null });
  });

  it("has pages", async () => {
    const sandbox = await sandboxForTest();
    const first = await call(sandbox, `${PATH}?limit=1`);
    const next = /<(.*)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    const second = await call(sandbox, PATH + next);
    expect(second.body.nextCursor).toBeNull();
    const all = (await call(sandbox, PATH)).body.data;
    expect([...(first.body.data as object[]), ...(second.body.data as object[])]).toEqual(all);
  });

  it.each([
    ["an unknown cursor", "cursor=bm9uc2Vuc2U", 400, "cursor"],
    ["a cursor of another list", `cursor=${Buffer.from("endpoints:1").toString("base64url")}`, 400, "cursor"],
    ["a limit of none", "limit=0", 422, "limit"],
    ["a limit too large", "limit=201", 422, "limit"],
    ["an unknown parameter", "name=x", 422, "name"],
  ])("refuses %s", async (_, query, status, at) => {
    expect(problemOf(await call(await sandboxForTest(), `${PATH}?${query}`))).toMatchObject({
      status,
      at: [at],
    });
  });
});
