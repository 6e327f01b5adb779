import type { TSchema } from "typebox";
import { GREASE_HEADER } from "../../../src/contract/grease.ts";
import { writeErrorBody, writeErrorWord } from "../../../src/contract/mapping/errors.ts";
import type { Mapping } from "../../../src/contract/mapping/mapping.ts";
import type { SentPage } from "../../../src/contract/mapping/paging.ts";
import { writeResponse } from "../../../src/contract/mapping/write-response.ts";
import type { Operation } from "../../../src/contract/operations/operation.ts";
import { OPERATIONS } from "../../../src/contract/operations/operations.ts";
import { problem } from "../../../src/contract/problems.ts";
import type { FinishedResponse } from "../../store/stored-responses.ts";
import type { ProblemError } from "../../wire/problem-error.ts";
import type { ResponseVariation } from "./grease/response-variation.ts";

export type ResponseEncoder = ReturnType<typeof createResponseEncoder>;

/** @param variation what grease varies besides its mapping */
export function createResponseEncoder(mapping: Mapping, variation: ResponseVariation | null) {
  return {
    itemVariants: variation?.itemVariants ?? [],

    encodeResponse(operation: Operation, response: FinishedResponse, page: SentPage): FinishedResponse {
      if (operation.id === OPERATIONS.document.openapi.id) return response;
      const { Link } = response.headers;
      const document = JSON.parse(response.body);
      const unmapped = {
        headers: response.headers,
        body: variation?.changeDocument(operation, document) ?? document,
      };
      const { headers, body } = writeResponse(mapping, operation, unmapped, page);
      const varied = variation?.listVariants(operation, document) ?? [];
      return {
        status: variation?.chooseStatus(operation) ?? response.status,
        headers: {
          ...headers,
          // Without a mapping, a client follows links: grease has them with every envelope.
          ...(variation && Link !== undefined && { Link }),
          ...(varied.length > 0 && { [GREASE_HEADER]: varied.join(", ") }),
        },
        body: body === undefined ? "" : JSON.stringify(body),
      };
    },

    /** Changes items of a list that is too long for {@link encodeResponse}. */
    encodeItems: (items: readonly object[], schema: TSchema): readonly object[] =>
      variation ? items.map((item) => variation.unknownFields.addEverywhere(item, schema)) : items,

    /** Undefined for an error of the token route, which RFC 6749 describes. The type is null for that of a problem document. */
    encodeError(error: ProblemError, document: object) {
      if (error.isOAuth) return undefined;
      const { status, code } = writeErrorWord(mapping["error.words"], error);
      const body = writeErrorBody(mapping, code, error.message);
      const varied = variation?.errorVariants ?? [];
      if (body === null) {
        const changed = variation?.unknownFields.addEverywhere(document, problem) ?? document;
        return { status, type: null, body: JSON.stringify({ ...changed, status, code }), varied };
      }
      if (typeof body !== "string") {
        // The object that the mapping put around an error.
        const sent = variation?.unknownFields.addToRoot(body) ?? body;
        return { status, type: "application/json; charset=utf-8", body: JSON.stringify(sent), varied };
      }
      const text = { type: "text/plain; charset=utf-8", body: `${body}\n` };
      return { status, ...(variation?.writeErrorPage(error) ?? text), varied: varied.slice(0, 1) };
    },
  };
}
