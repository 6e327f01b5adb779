import { isRecord, isTooDeep, parseJsonText } from "../../../domain/json.ts";
import type { Operation } from "../../operations/operation.ts";

/** The query parameters that a service's own OpenAPI or Swagger document lists for a read. It may be any text. */
export function listDocumentedParameters(text: string, { path }: Operation): readonly string[] {
  const document = parseJsonText(text);
  if (!isRecord(document) || isTooDeep(document) || !isRecord(document.paths)) return [];
  const own = Object.entries(document.paths).find(([name]) => name.replace(/\/+$/, "").endsWith(path))?.[1];
  const get = isRecord(own) && isRecord(own.get) ? own.get : {};
  const given = [isRecord(own) ? own.parameters : [], get.parameters].flat();
  return given
    .map((parameter) => resolve(document, parameter))
    .flatMap((parameter) =>
      parameter.in === "query" && typeof parameter.name === "string" ? [parameter.name] : [],
    );
}

function resolve(
  document: Readonly<Record<string, unknown>>,
  value: unknown,
): Readonly<Record<string, unknown>> {
  const pointer = isRecord(value) && typeof value.$ref === "string" ? value.$ref : "";
  if (!pointer.startsWith("#/")) return isRecord(value) ? value : {};
  let found: unknown = document;
  for (const name of pointer.slice(2).split("/"))
    found = isRecord(found) ? found[name.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined;
  return isRecord(found) ? found : {};
}
