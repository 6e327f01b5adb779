import { expect, it } from "vitest";
import type { FaultSpec } from "../../../../../sandbox/index.ts";
import { ALIAS_HEADERS } from "../../../../../src/contract/aliases.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import { type ApiResponse, call } from "../../../../support/sandbox-requests.ts";

const readAliasHeaders = ({ headers }: ApiResponse) =>
  Object.values(ALIAS_HEADERS).map((name) => headers.get(name));

it.each([
  ["DELETE", "/broker/v1/clients", "/v1/clients", "long_term"],
  ["GET", "/broker/onboard", "/v1/partner-organizations/{partnerOrgId}", "migration_only"],
  ["POST", "/broker/v1/portfolio/scan/a%20b", "/v1/portfolio-scans/a%20b", "long_term"],
  ["GET", "/broker/v1/nothing", null, null],
  ["DELETE", "/v1/clients", null, null],
])("%s %s is refused with the alias headers of its path", async (method, path, canonical, lifecycle) => {
  const refused = await call(await sandboxForTest(), path, { method });
  expect(refused.status).toBe(canonical === null && path.startsWith("/broker") ? 404 : 405);
  expect(readAliasHeaders(refused)).toEqual([canonical && path, canonical, lifecycle]);
});

it.each<[string, FaultSpec]>([
  ["before the work", { then: { status: 503 } }],
  ["after the work", { phase: "after", then: { status: 503 } }],
])(
  "the response of a fault %s has the alias headers of its path, and no others elsewhere",
  async (_, rule) => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add(rule);
    const path = "/broker/v1/portfolio/scan/a%20b";
    const failed = await call(sandbox, path);
    expect([failed.status, failed.body.code]).toEqual([503, "fault_injected"]);
    expect(readAliasHeaders(failed)).toEqual([path, "/v1/portfolio-scans/a%20b", "long_term"]);
    expect(readAliasHeaders(await call(sandbox, "/v1/clients"))).toEqual([null, null, null]);
  },
);
