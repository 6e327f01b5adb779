import { expect, it } from "vitest";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import { call, readFixture } from "../../../../support/sandbox-requests.ts";

it("a snapshot upload over the control API is refused early if it is another kind of file, and the client gets the response", async () => {
  const sandbox = await sandboxForTest();
  for (const path of ["/_sandbox/state", "/_sandbox/snapshots/x"])
    for (const body of ["", "{}", readFixture("openapi.json"), "not a snapshot\n".repeat(2_000_000)]) {
      const response = await call(sandbox, path, {
        ...{ method: "PUT", token: sandbox.controlToken, body: body as string },
      });
      expect([response.status, response.body.code]).toEqual([422, "validation_failed"]);
      expect(response.body.detail).toContain("not a snapshot of a sandbox");
    }
});
