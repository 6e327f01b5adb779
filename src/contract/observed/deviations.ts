import { isRecord } from "../../domain/json.ts";
import { compareContracts } from "../compare/compare-contracts.ts";
import type { Node } from "../compare/contract-reader.ts";
import type { Difference } from "../compare/difference.ts";
import { ALL_OPERATIONS, OPERATIONS } from "../operations.ts";
import { buildObservedDocument } from "./observed-document.ts";
import type { ObservedService } from "./observed-service.ts";

/** What the contract of a service does not have of what was observed, or has in another form. What it has besides is no deviation. */
export const listDeviations = (service: ObservedService, live: Node): Difference[] =>
  compareContracts(describeObservations(service), live).filter(
    ({ effect, location }) =>
      (effect === "breaks" || effect === "changes") &&
      /^(response(?![ \w]* header)|status$|$)/.test(location),
  );

/** The successful responses that were seen, with the observed fields alone. */
function describeObservations(service: ObservedService): Node {
  const { document } = buildObservedDocument(service);
  const components = document.components.schemas;
  const paths: Record<string, Node> = {};
  for (const { id, path, method } of ALL_OPERATIONS) {
    const seen = service.responses.find(({ operation, status }) => operation === id && status < 300);
    if (!seen || id === OPERATIONS.document.openapi.id) continue;
    const { responses } =
      (document.paths[path] as Record<string, DescribedOperation>)[method.toLowerCase()] ?? {};
    const [status = "", response] =
      Object.entries(responses ?? {}).find(([each]) => each.startsWith("2")) ?? [];
    const json = response?.content["application/json"];
    const schema = json && keepObserved(json.schema, components);
    const content = schema ? { "application/json": { schema } } : {};
    paths[path] = { ...paths[path], [method.toLowerCase()]: { responses: { [status]: { content } } } };
  }
  return { openapi: document.openapi, paths };
}

interface DescribedOperation {
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { schema: Node }>> }>
  >;
}

/** Our own constraints were not observed. */
const OBSERVED_KEYWORDS: readonly string[] = ["type", "format"];

/** Undefined where nothing was observed. */
function keepObserved(schema: Node, components: Node): Node | undefined {
  if (typeof schema.$ref === "string") {
    const target = components[schema.$ref.replace("#/components/schemas/", "")];
    return isRecord(target) ? keepObserved(target, components) : undefined;
  }
  const keep = (inner: unknown) => (isRecord(inner) ? keepObserved(inner, components) : undefined);
  const own = Object.fromEntries(Object.entries(schema).filter(([name]) => OBSERVED_KEYWORDS.includes(name)));
  if (Array.isArray(schema.anyOf)) return { ...own, anyOf: schema.anyOf.map((each) => keep(each) ?? {}) };
  if (isRecord(schema.items)) return { ...own, items: keep(schema.items) ?? {} };
  if (!isRecord(schema.properties)) return own;
  const kept = Object.entries(schema.properties).flatMap(([name, inner]) => {
    const fields = keep(inner) ?? {};
    const isObserved = isRecord(inner) && inner["x-basis"] === "observed";
    return isObserved || isNonEmpty(fields.properties) ? [[name, fields] as const] : [];
  });
  return { ...own, properties: Object.fromEntries(kept), required: schema.required };
}

const isNonEmpty = (properties: unknown): boolean =>
  isRecord(properties) && Object.keys(properties).length > 0;
