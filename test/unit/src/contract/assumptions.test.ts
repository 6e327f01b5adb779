import { expect, it } from "vitest";
import { listAssumptions } from "../../../../src/contract/assumptions.ts";
import { getContract } from "../../../../src/contract/openapi.ts";

const sourcesOf = (operation: string, what: string) =>
  listAssumptions()
    .filter((one) => one.operation === operation && one.subject === what)
    .map(({ source }) => source);

it("the page of a list has the source of that list", () => {
  for (const list of ["webhooks.endpoints", "webhooks.deliveries"])
    expect(sourcesOf(list, "nextCursor"), list).toEqual([expect.stringContaining("the two list routes")]);
  for (const list of ["clients.list", "claims.list", "offers.list", "revenue.ledger"])
    expect(sourcesOf(list, "nextCursor"), list).toEqual([
      expect.stringContaining("the routes in the alias table, and of GET /v1/clients"),
    ]);
});

it("reading an organization is assumed; its path is documented", () => {
  expect(sourcesOf("orgs.get", "GET /v1/partner-organizations/{partnerOrgId}")).toHaveLength(1);
  expect(sourcesOf("orgs.onboard", "partnerOrgId")).toEqual([]);
  const { paths } = getContract().document as unknown as {
    paths: Record<string, Record<string, { parameters: Record<string, string>[] }>>;
  };
  const onThePath = Object.values(paths["/v1/partner-organizations/{partnerOrgId}"] ?? {});
  expect(onThePath.map(({ parameters }) => parameters[0]?.["x-basis"])).toEqual(["documented", "documented"]);
});

it("an alias that takes the id from its body is assumed", () => {
  const { paths } = getContract().document as unknown as {
    paths: Record<
      string,
      {
        post: {
          requestBody: {
            content: Record<string, { schema: { properties: Record<string, Record<string, string>> } }>;
          };
        };
      }
    >;
  };
  const { schema } = paths["/broker/v1/onboard"]?.post.requestBody.content["application/json"] ?? {};
  expect(schema?.properties.partnerOrgId?.["x-basis"]).toBe("assumed");
});
