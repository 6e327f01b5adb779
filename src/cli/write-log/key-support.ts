import { ClaimsError } from "../../domain/errors.ts";
import { parseJsonText, valueAt } from "../../domain/json.ts";
import type { Service } from "../connection/service.ts";

/**
 * Whether the service's own contract (interface §9.4) declares an Idempotency-Key for a route. The interface does not: without
 * that declaration a second request is a second write.
 *
 * @param route method and path, as in `POST /v1/clients`
 */
export async function supportsIdempotencyKey(
  { client, operations }: Service,
  route: string,
): Promise<boolean> {
  let document: unknown;
  try {
    const { body } = await client.send(operations.document.openapi);
    document = parseJsonText(body.toString("utf8"));
  } catch (error) {
    if (error instanceof ClaimsError && isContractUnavailable(error)) return false;
    throw error;
  }
  const [method = "", target = ""] = route.split(" ");
  const [path = ""] = target.split("?");
  const paths = Object(valueAt(document, "paths")) as Record<string, unknown>;
  const item = paths[path] ?? Object.entries(paths).find(([template]) => isPathOf(template, path))?.[1];
  const lists = [valueAt(item, "parameters"), valueAt(item, `${method.toLowerCase()}.parameters`)];
  return lists
    .filter(Array.isArray)
    .flat()
    .some((parameter) => {
      const { in: location, name } = Object(resolveReference(document, parameter));
      return location === "header" && String(name).toLowerCase() === "idempotency-key";
    });
}

function isPathOf(template: string, path: string): boolean {
  const parts = path.split("/");
  const expected = template.split("/");
  return (
    parts.length === expected.length &&
    expected.every((part, index) => part === parts[index] || part.startsWith("{"))
  );
}

/** The service has no contract, or refuses it to this credential. */
const isContractUnavailable = ({ kind, status }: ClaimsError): boolean =>
  kind === "not_found" || kind === "rejected" || status === 403;

function resolveReference(document: unknown, parameter: unknown): unknown {
  const reference = valueAt(parameter, "$ref");
  if (typeof reference !== "string" || !reference.startsWith("#/")) return parameter;
  return valueAt(document, reference.slice(2).replaceAll("/", "."));
}
