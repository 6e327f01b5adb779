import { describe, expect, it } from "vitest";
import { createClaim } from "../support/sample-claims.ts";
import { sandboxForTest } from "../support/sandbox.ts";
import { call, listOtherCredentials, post, problemOf } from "../support/sandbox-requests.ts";

/** Each list, and a parameter that it does not have. */
const LISTS = [
  ["/v1/clients", "name"],
  ["/v1/claims", "grade"],
  ["/v1/offers", "clientId"],
  ["/v1/revenue/ledger", "month"],
  ["/v1/webhooks/endpoints", "label"],
  ["/v1/webhook-deliveries", "event"],
] as const;

describe.each(LISTS)("GET %s", (path, unknown) => {
  it.each([
    ["an unknown cursor", "cursor=bm9uc2Vuc2U", 400, "cursor"],
    ["a cursor of another list", `cursor=${Buffer.from("others:1").toString("base64url")}`, 400, "cursor"],
    ["a limit of 0", "limit=0", 422, "limit"],
    ["a limit that is too large", "limit=201", 422, "limit"],
    ["an unknown parameter", `${unknown}=x`, 422, unknown],
  ])("refuses %s", async (_, query, status, at) => {
    const response = await call(await sandboxForTest(), `${path}?${query}`);
    expect(problemOf(response)).toMatchObject({ status, at: [at] });
  });

  it("has no records of another partner or environment", async () => {
    const sandbox = await sandboxForTest();
    await post(sandbox, "/v1/offers", { claimId: await createClaim(sandbox) });
    await sandbox.webhooks.emit({ type: "partner.test" });
    const idsOf = (body: Record<string, unknown>) => (body.data as { id: string }[]).map(({ id }) => id);
    const own = idsOf((await call(sandbox, path)).body);
    expect(own.length).toBeGreaterThan(0);
    // Endpoints and their deliveries belong to the partner in every environment of their scope.
    const isShared = path.startsWith("/v1/webhook");
    for (const [who, token] of listOtherCredentials(sandbox)) {
      if (isShared && who === "another environment") continue;
      const others = idsOf((await call(sandbox, path, { token })).body);
      expect(
        others.filter((id) => own.includes(id)),
        who,
      ).toEqual([]);
    }
  });
});
