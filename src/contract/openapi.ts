import { overAlias } from "./alias-request.ts";
import { aliasesOf, methodsOver } from "./aliases.ts";
import { assumed, documented } from "./basis.ts";
import { canonicalForm, sha256Hex } from "./hash.ts";
import { componentSchemas, type Json, label } from "./openapi-components.ts";
import { pathItem } from "./openapi-operation.ts";
import { ALL_OPERATIONS } from "./operations.ts";

function paths(): Json {
  const items: Json = {};
  for (const operation of ALL_OPERATIONS) {
    const add = (path: string, item: Json, method = operation.method) => {
      items[path] = { ...(items[path] as Json | undefined), [method.toLowerCase()]: item };
    };
    add(operation.path, pathItem(operation, "canonical"));
    if (operation.legacyPath) add(operation.legacyPath, pathItem(operation, "legacy"));
    for (const alias of aliasesOf(operation.id))
      for (const method of methodsOver(operation)) {
        const id = method === operation.method ? operation.id : `${operation.id}.${method.toLowerCase()}`;
        add(alias.path, pathItem({ ...overAlias(operation, alias), id, method }, alias), method);
      }
  }
  return items;
}

function build() {
  return {
    openapi: "3.1.0",
    info: {
      title: "Partner Claims Service",
      version: "1",
      description:
        "Generated from the operation table. x-basis says whether the interface documents a thing or the sandbox assumes it.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: Object.entries({
      webhooks: "Webhook endpoints, deliveries and test events",
      oauth: "Sandbox OAuth client credentials",
      document: "The contract itself",
      diligence: "Diligence jobs, their report and dataset",
      clients: "Clients: the importers that claims are made for",
      claims: "Claims, each made from a diligence job",
      offers: "Financing offers on claims",
      litigation: "Enrollment of claims in litigation",
      revenue: "Revenue: ledger and dashboard",
      scans: "Portfolio scans",
      orgs: "Partner organizations",
      notifications: "Notification requests",
    }).map(([name, description]) => ({ name, description })),
    paths: paths(),
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", ...label(documented("§5.1")) },
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "X-API-Key",
          ...label(documented("§5.2")),
        },
        oauth: {
          type: "oauth2",
          flows: {
            clientCredentials: {
              tokenUrl: ALL_OPERATIONS.find(({ auth }) => auth === "client")?.path,
              scopes: {},
            },
          },
          ...label(documented("§5.3")),
        },
        client: { type: "http", scheme: "basic", ...label(assumed("token")) },
      },
      schemas: componentSchemas(),
    },
  };
}

export type OpenApiDocument = ReturnType<typeof build>;

interface Contract {
  readonly document: OpenApiDocument;
  /** RFC 8785 form of the document, as UTF-8 text. */
  readonly canonical: string;
  /** Hex SHA-256 of the canonical form: the contract hash (product.md §5). */
  readonly hash: string;
}

let bundled: Contract | undefined;

/** The contract of this version of the toolkit; made once, on first use. */
export function contract(): Contract {
  if (!bundled) {
    const document = build();
    const canonical = canonicalForm(document);
    bundled = { document, canonical, hash: sha256Hex(canonical) };
  }
  return bundled;
}
