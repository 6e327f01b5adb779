import { ClaimsError } from "../../../domain/errors.ts";
import { isRecord, isTooDeep, parseJsonText } from "../../../domain/json.ts";
import { asList, asRecord, ContractReader, isOpenApi, type Node } from "../../compare/contract-reader.ts";
import { hashContract } from "../../hash.ts";
import type { Operation } from "../../operations/operation.ts";
import type { RequestForm } from "../service-form.ts";
import { isIdentifier, normalizeName } from "./samples.ts";

/** What a service's own document says of requests: responses show it themselves. */
export interface ServiceDocument {
  readonly hash: string | null;
  /** For a person. */
  readonly notes: readonly string[];
  findRequest(operation: Operation): RequestForm;
}

/** Reads the OpenAPI document of a service. It may be any text, of any size and depth. */
export function readServiceDocument(text: string): ServiceDocument {
  const document = parseJsonText(text);
  const problem = findProblem(text, document);
  if (problem !== null || !isOpenApi(document))
    return {
      hash: null,
      notes: [`the service's own contract is not used: ${problem}`],
      findRequest: () => ({}),
    };
  return { hash: tryHash(document), notes: [], findRequest: (operation) => readRequest(document, operation) };
}

function findProblem(text: string, document: unknown): string | null {
  if (text === "") return "it is empty, truncated or too large";
  if (document === undefined) return "it is not JSON";
  if (isTooDeep(document)) return "it is nested too deeply";
  if (isOpenApi(document)) return null;
  return isRecord(document) && "swagger" in document
    ? "it is Swagger 2, not OpenAPI 3"
    : "it is not an OpenAPI 3 document";
}

/** RFC 8785 cannot represent a lone surrogate. */
function tryHash(document: Node): string | null {
  try {
    return hashContract(document);
  } catch {
    return null;
  }
}

const normalizePath = (path: string): string => path.replace(/\{[^}]*\}/g, "{}").replace(/\/+$/, "");

/** The names of the same query parameters and body fields in another case style. */
function readRequest(document: Node, { method, path, query, request }: Operation): RequestForm {
  try {
    const reader = new ContractReader(document);
    const paths = Object.entries(asRecord(document.paths));
    const [, item] = paths.find(([own]) => normalizePath(own) === normalizePath(path)) ?? [];
    const node = asRecord(asRecord(reader.resolve(item))[method.toLowerCase()]);
    const parameters = asList(node.parameters).map((each) => asRecord(reader.resolve(each)));
    const names = parameters.filter((each) => each.in === "query").map((each) => String(each.name));
    const [content] = Object.values(asRecord(asRecord(reader.resolve(node.requestBody)).content));
    const body = asRecord(reader.resolve(asRecord(content).schema));
    const own = matchNames(Object.keys(query?.properties ?? {}), names);
    const fields =
      request?.kind === "json"
        ? matchNames(Object.keys(request.schema.properties), Object.keys(asRecord(body.properties)))
        : {};
    return {
      ...(Object.keys(own).length > 0 && { query: own }),
      ...(Object.keys(fields).length > 0 && { request: fields }),
    };
  } catch (error) {
    if (error instanceof ClaimsError) return {};
    throw error;
  }
}

const matchNames = (ours: readonly string[], theirs: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    ours.flatMap((name) => {
      const same = theirs.filter((each) => normalizeName(each) === normalizeName(name) && isIdentifier(each));
      return same.length === 1 && same[0] !== name && same[0] !== undefined ? [[name, same[0]]] : [];
    }),
  );
