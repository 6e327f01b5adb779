import { describe, expect, it } from "vitest";
import { openSandbox, sandboxForTest } from "../../../support/sandbox.ts";
import { call } from "../../../support/sandbox-requests.ts";

/** What Chromium sends. */
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

describe("GET / of a browser", () => {
  it("gets a text that says how to reach the inspector, the contract and the documentation, and no session", async () => {
    const sandbox = await sandboxForTest();
    const response = await call(sandbox, "/", { headers: { accept: BROWSER }, token: null });
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "text/plain; charset=utf-8",
    ]);
    for (const text of ["claims sandbox inspect", "claims contract fetch", "claims help", sandbox.url])
      expect(response.text).toContain(text);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.text).not.toMatch(/_sandbox\/ui|[0-9a-f]{48}/);
    expect(response.text).not.toContain(sandbox.controlToken);
    expect(response.headers.get("set-cookie")).toBeNull();
  });

  it("names the file of the pages beyond loopback, where there is no inspector", async () => {
    await using sandbox = await openSandbox({ host: "0.0.0.0" });
    const { text } = await call(sandbox, "/", { headers: { accept: BROWSER } });
    expect(text).toContain("claims sandbox inspect --out run.html");
  });

  it.each(["*/*", "application/json", "application/json, text/html;q=0.5"])(
    "with Accept: %s gets the problem of the service",
    async (accept) => {
      const response = await call(await sandboxForTest(), "/", { headers: { accept } });
      expect([response.status, response.headers.get("content-type")]).toEqual([
        404,
        "application/problem+json",
      ]);
    },
  );
});
