import { describe, expect, it } from "vitest";
import { OPERATIONS } from "../../../../src/contract/operations/operations.ts";
import { catchError, clientForTest } from "../../../support/client.ts";
import { sendJson, startScriptedService } from "../../../support/scripted-service.ts";

const resume = OPERATIONS.diligence.resume;

/** A service that responds 429 to each first attempt, and the keys that it receives. */
async function startBusyService() {
  const { url, requests } = await startScriptedService((_, response, count) =>
    count % 2 === 1 ? sendJson(response, 429, {}, { "retry-after": "0" }) : sendJson(response, 200, {}),
  );
  return { url, keys: () => requests.map(({ headers }) => headers["idempotency-key"]) };
}

describe("the idempotency key", () => {
  it("is new for each write, and stays the same over the attempts of one write", async () => {
    const { url, keys } = await startBusyService();
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

  it("is the one that the caller passes, or the header of a raw request", async () => {
    const { url, keys } = await startBusyService();
    const client = clientForTest(url);
    await client.send(resume, { params: { jobId: "x" }, idempotencyKey: "mine" });
    await client.sendRaw({ method: "POST", path: "/x", idempotencyKey: "mine too" });
    const headers = { "Idempotency-Key": "theirs" };
    await client.sendRaw({ method: "POST", path: "/x", headers, idempotencyKey: "mine too" });
    expect(keys()).toEqual(["mine", "mine", "mine too", "mine too", "theirs", "theirs"]);
  });

  it("is rejected before anything is sent if it is not a valid header value", async () => {
    const { url, keys } = await startBusyService();
    const key = "two\nlines";
    const error = await catchError(
      clientForTest(url).sendRaw({ method: "POST", path: "/x", idempotencyKey: key }),
    );
    expect(error).toMatchObject({ kind: "usage", code: "invalid_request" });
    expect(keys()).toEqual([]);
  });
});
