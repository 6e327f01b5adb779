import { isRecord } from "../../domain/json.ts";
import { asList, asRecord, type ContractReader, type Node } from "./contract-reader.ts";

const METHODS: readonly string[] = ["get", "put", "post", "delete", "patch", "head", "options", "trace"];

/** The operations of a document, such as `POST /v1/…`, each as one schema. */
export function readOperations(reader: ContractReader): ReadonlyMap<string, Node> {
  const operations = Object.entries(asRecord(reader.document.paths)).flatMap(([path, value]) =>
    Object.entries(reader.resolve(value))
      .filter(([method, operation]) => METHODS.includes(method) && isRecord(operation))
      .map(
        ([method, operation]) =>
          [
            `${method.toUpperCase()} ${path}`,
            toOperationSchema(reader, asRecord(operation), reader.listParameters(path, method)),
          ] as const,
      ),
  );
  return new Map(operations);
}

/** The parameters and bodies of an operation as fields of one object, so that one comparison is enough for all of them. */
function toOperationSchema(reader: ContractReader, operation: Node, parameters: readonly Node[]): Node {
  const { deprecated, requestBody, security = reader.document.security } = operation;
  const body = reader.resolve(requestBody);
  const responses = Object.entries(asRecord(operation.responses));
  const isSuccess = ([status]: readonly [string, unknown]) => status.startsWith("2");
  const named = parameters.map(
    (parameter) => [`parameter ${parameter.in} ${parameter.name}`, parameter] as const,
  );
  return {
    deprecated,
    properties: {
      ...Object.fromEntries(named.map(([name, parameter]) => [name, withOwnSchema(parameter)])),
      security: { type: "string", enum: listCredentials(reader, security) },
      ...(requestBody !== undefined && { request: toBodySchema(reader, body) }),
      response: toResponseSchema(reader, responses.filter(isSuccess)),
      error: toResponseSchema(
        reader,
        responses.filter((response) => !isSuccess(response)),
      ),
    },
    required: [
      ...named.filter(([, { required }]) => required === true).map(([name]) => name),
      ...(body.required === true ? ["request"] : []),
    ],
  };
}

/** The responses of several statuses as alternatives: a client reads them by the same code. */
const toResponseSchema = (
  reader: ContractReader,
  responses: readonly (readonly [string, unknown])[],
): Node => ({
  properties: { status: { type: "string", enum: responses.map(([status]) => status) } },
  anyOf: responses.map(([, response]) => toBodySchema(reader, reader.resolve(response))),
});

function toBodySchema(reader: ContractReader, { content, headers }: Node): Node {
  const namedHeaders = Object.entries(asRecord(headers)).map(([name, header]) => [
    `header ${name}`,
    withOwnSchema(reader.resolve(header)),
  ]);
  const contents = Object.entries(asRecord(content)).map(([type, media]) => [
    type,
    withOwnSchema(asRecord(media)),
  ]);
  return { properties: Object.fromEntries([...namedHeaders, ...contents]) };
}

/** The members of a parameter, a header or a media type stand beside those of its schema. */
const withOwnSchema = ({ schema, required: _, ...own }: Node): Node => ({ ...own, allOf: [schema] });

/** The ways to authenticate, by what they are: their names are the document's own choice. */
function listCredentials(reader: ContractReader, security: unknown): readonly string[] {
  const { securitySchemes } = asRecord(reader.document.components);
  const describe = (name: string): string => {
    const { type, scheme, in: place, name: header } = reader.resolve(asRecord(securitySchemes)[name]);
    return [type, scheme, place, header].filter(Boolean).join(" ") || name;
  };
  const ways = asList(security).map((way) => Object.keys(asRecord(way)).map(describe).sort().join(" and "));
  return ways.map((way) => way || "nothing");
}
