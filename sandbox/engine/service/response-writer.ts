import type { TSchema } from "typebox";
import { GREASE_HEADER } from "../../../src/contract/grease.ts";
import { writeErrorBody, writeErrorWord } from "../../../src/contract/mapping/errors.ts";
import type { Mapping } from "../../../src/contract/mapping/mapping.ts";
import type { PageWindow } from "../../../src/contract/mapping/paging.ts";
import { writePage, writeRecord } from "../../../src/contract/mapping/write.ts";
import type { Operation } from "../../../src/contract/operations/operation.ts";
import { OPERATIONS } from "../../../src/contract/operations/operations.ts";
import type { FinishedResponse } from "../../store/stored-responses.ts";
import type { ProblemError } from "../../wire/problem-error.ts";
import type { WireEffects } from "./grease/wire-effects.ts";
import { isPage } from "./list-page.ts";

/** The request for a page, and what it is a part of. */
export interface PageRequest {
  readonly query: URLSearchParams;
  readonly origin: string;
  readonly path: string;
  readonly window?: PageWindow | undefined;
}

export type ResponseWriter = ReturnType<typeof createResponseWriter>;

/** @param effects what grease does besides its mapping */
export function createResponseWriter(mapping: Mapping, effects: WireEffects | null) {
  const write = (
    operation: Operation,
    document: unknown,
    headers: FinishedResponse["headers"],
    page: PageRequest,
  ) => {
    if (!isPage(document)) return writeRecord(mapping, operation, document, headers);
    const { window = { limit: 0, countRows: () => document.data.length } } = page;
    const urlOf = (parameter: string, value: string) => {
      const query = new URLSearchParams(page.query);
      query.set(parameter, value);
      return `${page.origin}${page.path}?${query}`;
    };
    const next = document.nextCursor;
    const sent = writePage(mapping, operation, document, headers, { next, urlOf, ...window });
    // Without a mapping, a client follows links: grease has them with every envelope.
    const link = effects && headers.Link !== undefined ? { Link: headers.Link } : {};
    return { ...sent, headers: { ...sent.headers, ...link } };
  };
  return {
    itemVariants: effects?.itemVariants ?? [],

    writeResponse(operation: Operation, response: FinishedResponse, page: PageRequest): FinishedResponse {
      if (operation.id === OPERATIONS.document.openapi.id) return response;
      const document = JSON.parse(response.body);
      const changed = effects?.changeDocument(operation, document) ?? document;
      const { headers, body } = write(operation, changed, response.headers, page);
      const varied = effects?.listVariants(operation, document) ?? [];
      return {
        status: effects?.chooseStatus(operation) ?? response.status,
        headers: { ...headers, ...(varied.length > 0 && { [GREASE_HEADER]: varied.join(", ") }) },
        body: body === undefined ? "" : JSON.stringify(body),
      };
    },

    /** Changes items of a list that is too long for {@link writeResponse}. */
    writeItems: (items: readonly object[], schema: TSchema): readonly object[] =>
      effects ? items.map((item) => effects.changeItem(item, schema)) : items,

    /** Undefined for an error of the token route, which RFC 6749 describes. The type is null for that of a problem document. */
    writeError(error: ProblemError, document: object) {
      if (error.isOAuth) return undefined;
      const { status, code } = writeErrorWord(mapping["error.words"], error);
      const body = writeErrorBody(mapping, code, error.message);
      const varied = effects?.errorVariants ?? [];
      if (body === null) {
        const changed = { ...(effects?.changeProblem(document) ?? document), status, code };
        return { status, type: null, body: JSON.stringify(changed), varied };
      }
      if (typeof body !== "string") {
        const sent = effects?.changeHolder(body as object) ?? body;
        return { status, type: "application/json; charset=utf-8", body: JSON.stringify(sent), varied };
      }
      const page = effects?.renderErrorPage(error) ?? {
        type: "text/plain; charset=utf-8",
        body: `${body}\n`,
      };
      return { status, ...page, varied: varied.slice(0, 1) };
    },
  };
}
