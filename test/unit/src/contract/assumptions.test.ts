import { describe, expect, it } from "vitest";
import { BROKER_ALIASES } from "../../../../src/contract/aliases.ts";
import { listAssumptions } from "../../../../src/contract/assumptions.ts";
import { getContract } from "../../../../src/contract/openapi.ts";

const sourcesOf = (operation: string, subject: string) =>
  listAssumptions()
    .filter((one) => one.operation === operation && one.subject === subject)
    .map(({ source }) => source);

type Labelled = { readonly "x-basis": string };
interface Described extends Labelled {
  readonly parameters: readonly Labelled[];
  readonly responses: Readonly<Record<string, { readonly headers: object }>>;
  readonly requestBody: {
    content: Record<string, { schema: { properties: Record<string, Labelled> } }>;
  };
}
type PathItem = Labelled & { readonly [Method in "get" | "post" | "put"]?: Described };
const paths = getContract().document.paths as unknown as Record<string, PathItem>;
const methodsOf = ({ get, post, put }: PathItem) =>
  Object.entries({ get, post, put }).filter(([, one]) => one);
const methodOf = (path: string, method: string) =>
  methodsOf(paths[path] as PathItem).find(([name]) => name === method)?.[1];

describe("listAssumptions", () => {
  const subjects = listAssumptions().map(({ operation, kind, subject }) => `${operation} ${kind} ${subject}`);

  it.each([
    ...["X-Request-Id", "RateLimit-Policy", "RateLimit", "WWW-Authenticate", "Cache-Control", "Pragma"].map(
      (name) => `* header ${name}: `,
    ),
    ...["Retry-After", "Idempotent-Replayed"].map((name) => `* header ${name}: `),
    ...["Location", "Retry-After"].map((name) => `diligence.submit header ${name}`),
    ...["Contract-Version", "Vary"].map((name) => `diligence.dataset header ${name}`),
    "claims.list header Link",
    "document.openapi header ETag",
    "* problem 404 route_not_found",
    "* problem 401 credential_missing",
    "* problem 429 rate_limited",
    "* problem 500 internal_error",
    "diligence.submit problem 507 insufficient_storage",
    "claims.create problem 409 job_not_completed",
    "* behaviour An upload has at most 256 MiB, another body 1 MiB",
    "claims.list constraint limit: 1 to 200",
    "diligence.submit constraint seller_name: 1 to 200 characters",
    "webhooks.create constraint subscribedEvents: 1 to 100 items, at most 128 characters",
    "* parameter Idempotency-Key: ",
    "* behaviour Idempotency-Key belongs to partner, environment and operation, and is kept for 24 hours",
    "* behaviour X-API-Key alone is refused on every other route",
    "* behaviour An unknown field or query parameter is refused",
    "* behaviour A text part of a form is UTF-8",
    "diligence.submit behaviour requires_protest_documentation is true or false, in lower case",
    "document.openapi behaviour The contract hash is the hex SHA-256 of the document in its RFC 8785 form",
    "webhooks.create behaviour A name with a wildcard is refused",
    "webhooks.test behaviour environment is sandbox; any other value is refused",
  ])("contains %s", (start) => {
    expect(subjects.filter((subject) => subject.startsWith(start))).not.toEqual([]);
  });

  it("contains every part of the document with the label assumed", () => {
    const listed = new Set(
      listAssumptions().flatMap(({ subject, source }) => [
        `${subject}: ${source}`,
        `${subject.replace(/:.*/, "").replace(/^.*[.\]]/, "")}: ${source}`,
      ]),
    );
    const missing = new Set<string>();
    const visit = (value: unknown, key: string) => {
      if (typeof value !== "object" || value === null) return;
      const node = value as Record<string, unknown>;
      const { name = key, rule = name } = node;
      // The list has other names for methods and responses. The tests of aliases and problems cover them.
      const isNamed = !("responses" in node) && !/^(\d{3}|2XX|x-status)$/.test(key) && node.type !== "http";
      if (node["x-basis"] === "assumed" && isNamed && !listed.has(`${rule}: ${node["x-source"]}`))
        missing.add(`${rule}: ${node["x-source"]}`);
      for (const [name, inner] of Object.entries(node)) visit(inner, name);
    };
    visit(getContract().document, "");
    expect([...missing]).toEqual([]);
  });

  it("contains every response header of the document, except the three documented headers of aliases", () => {
    const listed = listAssumptions().flatMap(({ kind, subject }) =>
      kind === "header" ? [subject.replace(/:.*/, "")] : [],
    );
    const responses = Object.values(paths).flatMap((item) =>
      methodsOf(item).flatMap(([, method]) => Object.values(method?.responses ?? {})),
    );
    const described = new Set(responses.flatMap(({ headers }) => Object.keys(headers)));
    expect([...described].filter((name) => !name.startsWith("X-Service-")).sort()).toEqual(
      [...new Set(listed)].sort(),
    );
  });
});

describe("the labels of aliases", () => {
  const aliasMethods = BROKER_ALIASES.flatMap(({ path, canonicalPath }) =>
    methodsOf(paths[path] as PathItem).map(([method]) => ({ path, canonicalPath, method })),
  );

  it("mark the path of every alias and its canonical path as documented", () => {
    expect(aliasMethods).toHaveLength(19);
    for (const { path, canonicalPath } of aliasMethods)
      expect([paths[path]?.["x-basis"], paths[canonicalPath]?.["x-basis"]]).toEqual([
        "documented",
        "documented",
      ]);
  });

  // §4 Webhooks documents the canonical route of this alias; the alias table does not give the method of the alias.
  const known = aliasMethods.filter(({ path }) => path !== "/broker/v1/webhooks/register");

  it.each(known)(
    "give $method $path the label of its canonical operation",
    ({ path, canonicalPath, method }) => {
      const canonical = methodOf(canonicalPath, method) ?? methodOf(canonicalPath, "put");
      expect(methodOf(path, method)?.["x-basis"]).toBe(canonical?.["x-basis"]);
    },
  );

  it("mark a method as documented only when the alias table names it", () => {
    const labelOf = (path: string, method: string) => methodOf(`/broker/${path}`, method)?.["x-basis"];
    expect(labelOf("v1/webhooks/register", "post")).toBe("assumed");
    expect(labelOf("v1/onboard", "post")).toBe("assumed");
    expect(labelOf("v1/portfolio/scan", "post")).toBe("assumed");
    expect(labelOf("v1/portfolio/scan/{scanId}", "get")).toBe("documented");
    expect(labelOf("v1/clients", "post")).toBe("documented");
    expect(labelOf("v1/revenue/ledger", "get")).toBe("documented");
    expect(labelOf("v1/litigation/enroll", "post")).toBe("documented");
  });
});

it("nextCursor of each list cites the gap in the interface for that list", () => {
  for (const list of ["webhooks.endpoints", "webhooks.deliveries"])
    expect(sourcesOf(list, "nextCursor"), list).toEqual([expect.stringContaining("the two list routes")]);
  for (const list of ["clients.list", "claims.list", "offers.list", "revenue.ledger"])
    expect(sourcesOf(list, "nextCursor"), list).toEqual([
      expect.stringContaining("the routes in the alias table, and of GET /v1/clients"),
    ]);
});

it("the path of a partner organization is documented, and its methods are assumed", () => {
  const path = "/v1/partner-organizations/{partnerOrgId}";
  for (const [operation, method] of [
    ["orgs.get", "GET"],
    ["orgs.onboard", "PUT"],
  ] as const) {
    expect(sourcesOf(operation, path)).toEqual([]);
    expect(sourcesOf(operation, `${method} ${path}`)).toHaveLength(1);
    expect(methodOf(path, method.toLowerCase())?.parameters[0]?.["x-basis"]).toBe("documented");
  }
});

it("partnerOrgId in the body of POST /broker/v1/onboard is assumed", () => {
  const { content } = (methodOf("/broker/v1/onboard", "post") as Described).requestBody;
  const [body] = Object.values(content);
  expect(body?.schema.properties.partnerOrgId?.["x-basis"]).toBe("assumed");
});
