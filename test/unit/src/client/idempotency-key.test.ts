import { describe, expect, it } from "vitest";
import { OPERATIONS } from "../../../../src/contract/operations.ts";
import { catchError, clientForTest } from "../../../support/client.ts";
import { sendJson, startScriptedService } from "../../../support/scripted-service.ts";

const resume = OPERATIONS.diligence.resume;

/** A service that is busy at first, and the keys it was sent. */
async function busyService() {
  const { url, requests } = await startScriptedService((_, response, count) =>
    count % 2 === 1 ? sendJson(response, 429, {}, { "retry-after": "0" }) : sendJson(response, 200, {}),
  );
  return { url, keys: () => requests.map(({ headers }) => headers["idempotency-key"]) };
}

describe("the idempotency key", () => {
  it("is a fresh one for each write, and the same over its attempts", async () => {
    const { url, keys } = await busyService();
    const client = clientForTest(url);
    await client.send(resume, { params: { jobId: "x" } });
    for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const)
      await client.sendRaw({ method, path: "/x" });
    const [first, ...rest] = keys();
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(rest[0]).toBe(first);
    expect(keys()).toHaveLength(10);
    expect(new Set(keys()).size).toBe(5);
  });

  it("is the one that is given", async () => {
    const { url, keys } = await busyService();
    const client = clientForTest(url);
    await client.send(resume, { params: { jobId: "x" }, idempotencyKey: "mine" });
    await client.sendRaw({ method: "POST", path: "/x", idempotencyKey: "mine too" });
    const headers = { "Idempotency-Key": "theirs" };
    await client.sendRaw({ method: "POST", path: "/x", headers, idempotencyKey: "mine too" });
    expect(keys()).toEqual(["mine", "mine", "mine too", "mine too", "theirs", "theirs"]);
  });

  it("does not belong on a read", async () => {
    const { url, keys } = await busyService();
    const client = clientForTest(url);
    await client.send(OPERATIONS.diligence.status, { params: { jobId: "x" }, idempotencyKey: "mine" });
    await client.sendRaw({ method: "GET", path: "/x", idempotencyKey: "mine" });
    expect(keys()).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("that no header can hold is refused before anything is sent", async () => {
    const { url, keys } = await busyService();
    const key = "two\nlines";
    const error = await catchError(
      clientForTest(url).sendRaw({ method: "POST", path: "/x", idempotencyKey: key }),
    );
    expect(error).toMatchObject({ kind: "usage", code: "invalid_request" });
    expect(keys()).toEqual([]);
  });
});

describe("409 with Retry-After", () => {
  it("is waited out where the same key is still being worked on", async () => {
    const { url, requests } = await startScriptedService((_, response, count) =>
      count < 3 ? sendJson(response, 409, {}, { "retry-after": "1" }) : sendJson(response, 202, { id: "j" }),
    );
    const answer = await clientForTest(url).send(resume, { params: { jobId: "x" }, idempotencyKey: "k" });
    expect(answer.status).toBe(202);
    expect(requests.map(({ headers }) => headers["idempotency-key"])).toEqual(["k", "k", "k"]);
  });

  it("stands where nothing was written", async () => {
    const { url, requests } = await startScriptedService((_, response) =>
      sendJson(response, 409, { code: "report_not_ready" }, { "retry-after": "1" }),
    );
    const error = await catchError(clientForTest(url).sendRaw({ method: "GET", path: "/x" }));
    expect(error).toMatchObject({ kind: "rejected", code: "report_not_ready" });
    expect(requests).toHaveLength(1);
  });
});
