import type { Operation } from "../operations/operation.ts";
import { findRoute } from "../routes.ts";
import { type FormedError, readError } from "./errors.ts";
import { isReadFromBody } from "./paging.ts";
import { writeQuery, writeRequestBody } from "./requests.ts";
import { bindResponse, type FormedResponse } from "./responses.ts";
import type { ServiceForm } from "./service-form.ts";

export interface ResponseForm {
  /** The document of the contract; what the form does not describe stays as it was sent. */
  readDocument(document: unknown, headers: Readonly<Record<string, string>>): unknown;
  /** The same for a row of a dataset, which can come without its document. */
  readRow(row: unknown): unknown;
  /** The query parameter of the next page; null where the service has its own link to it. */
  readonly pageParameter: string | null;
}

type Query = Readonly<Record<string, string | number | undefined>>;

/** What the client does by the form of a service: reads responses and errors, and writes requests. */
export interface ClientForm {
  findResponseForm(request: Readonly<Record<"method" | "path", string>>): ResponseForm | undefined;
  writeQuery(operation: Operation, query: Query): Query;
  writeBody(operation: Operation, body: object): object;
  readError(response: FormedResponse): FormedError | null;
}

export function createClientForm(form: ServiceForm): ClientForm {
  return {
    findResponseForm({ method, path }) {
      const operation = findRoute(method, path)?.operation;
      if (!operation || operation.auth === "client" || operation.id === "document.openapi") return undefined;
      const query = new URLSearchParams(path.split("?")[1] ?? "");
      const { mapper, paging, read } = bindResponse(form, operation);
      const { paging: own } = form.operations?.[operation.id] ?? {};
      const { status } = operation.response;
      const rows = mapper.findInner("rows");
      return {
        readDocument: (body, headers) => read({ status, headers, body }, { query }).body,
        readRow: (row) => (rows && typeof row === "object" && row !== null ? rows.read({ ...row }) : row),
        pageParameter: own && isReadFromBody(own) ? (paging.parameter ?? null) : null,
      };
    },
    writeQuery: (operation, query) => writeQuery(form, operation, query),
    writeBody: (operation, body) => writeRequestBody(form, operation, body) as object,
    readError: ({ status, headers, body }) => readError(form, status, body, headers),
  };
}
