import { toAliasOperation } from "./alias-request.ts";
import { aliasMethods, findAliases } from "./aliases.ts";
import { buildWebhooks } from "./event.ts";
import { type PublishedContract, toPublishedContract } from "./hash.ts";
import { assumed, documented, type SourcedBasis } from "./labels.ts";
import {
  buildComponentExamples,
  buildComponentSchemas,
  type JsonObject,
  labelExtensions,
  ruleExtensions,
} from "./openapi-components.ts";
import { buildOperationObject } from "./openapi-operation.ts";
import { ALL_OPERATIONS, NOUN_SUMMARIES } from "./operations/operations.ts";
import { SERVICE_RULES } from "./service.ts";

function buildPaths(): JsonObject {
  const items: JsonObject = {};
  for (const operation of ALL_OPERATIONS) {
    const add = (path: string, label: SourcedBasis, item: JsonObject, method = operation.method) => {
      const others = items[path] as JsonObject | undefined;
      items[path] = { ...labelExtensions(label), ...others, [method.toLowerCase()]: item };
    };
    add(operation.path, operation.label, buildOperationObject(operation, "canonical"));
    if (operation.legacyPath)
      add(operation.legacyPath, documented("legacy"), buildOperationObject(operation, "legacy"));
    for (const alias of findAliases(operation.id))
      for (const method of aliasMethods(operation)) {
        const id = method === operation.method ? operation.id : `${operation.id}.${method.toLowerCase()}`;
        const label = documented("alias.map");
        add(
          alias.path,
          label,
          buildOperationObject({ ...toAliasOperation(operation, alias), method }, alias, id),
          method,
        );
      }
  }
  return items;
}

function buildExamples(...parts: readonly JsonObject[]): JsonObject {
  const references = JSON.stringify(parts).matchAll(/"#\/components\/examples\/([\w.]+)"/g);
  const names = new Set(Array.from(references, ([, name]) => name));
  return Object.fromEntries(Object.entries(buildComponentExamples()).filter(([name]) => names.has(name)));
}

function buildDocument() {
  const [paths, webhooks] = [buildPaths(), buildWebhooks()];
  return {
    openapi: "3.1.0",
    info: {
      title: "Partner Claims Service",
      version: "1",
      description:
        "Generated from the operation table. x-basis says whether the interface documents a thing or the sandbox assumes it.",
      contact: { name: "The maintainers of claims-toolkit" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    ...ruleExtensions(SERVICE_RULES),
    tags: Object.entries(NOUN_SUMMARIES).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", ...labelExtensions(documented("bearer")) },
        apiKey: { type: "apiKey", in: "header", name: "X-API-Key", ...labelExtensions(documented("apiKey")) },
        oauth: {
          type: "oauth2",
          flows: {
            clientCredentials: {
              tokenUrl: ALL_OPERATIONS.find(({ auth }) => auth === "client")?.path,
              scopes: {},
            },
          },
          ...labelExtensions(documented("oauth.tokens")),
        },
        client: { type: "http", scheme: "basic", ...labelExtensions(assumed("tokens")) },
      },
      schemas: buildComponentSchemas(),
      examples: buildExamples(paths, webhooks),
    },
  };
}

export type OpenApiDocument = ReturnType<typeof buildDocument>;

interface Contract extends PublishedContract {
  readonly document: OpenApiDocument;
}

let cachedContract: Contract | undefined;

export function getContract(): Contract {
  if (cachedContract) return cachedContract;
  const document = buildDocument();
  cachedContract = { document, ...toPublishedContract(document) };
  return cachedContract;
}
