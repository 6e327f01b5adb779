import { STATUS_CODES } from "node:http";
import type { TSchema } from "typebox";
import { GREASE_HEADER } from "../../../src/contract/grease.ts";
import type { Operation } from "../../../src/contract/operations/operation.ts";
import { OPERATIONS } from "../../../src/contract/operations/operations.ts";
import {
  type FormedError,
  isNamedError,
  writeError,
  writeStatus,
} from "../../../src/contract/service-form/errors.ts";
import type { PageContext } from "../../../src/contract/service-form/paging.ts";
import { bindResponse } from "../../../src/contract/service-form/responses.ts";
import type { ServiceForm } from "../../../src/contract/service-form/service-form.ts";
import type { FinishedResponse } from "../../store/stored-responses.ts";
import type { ProblemError } from "../../wire/problem-error.ts";

export interface WireEffects {
  changeDocument(operation: Operation, document: object): object;
  changeItem(item: object, schema: TSchema): object;
  /** Changes a document that was written in another place than the root, or in another shape. */
  changeHolder(document: object): object;
  changeProblem(document: object): object;
  /** The body of an error that is not JSON; null for the message alone. */
  renderErrorText(error: ProblemError): string | null;
  /** What was varied in a response: `dimension=variant`. */
  listVariations(operation: Operation, document: object): readonly string[];
  readonly itemVariations: readonly string[];
  readonly errorVariations: readonly string[];
}

/** The operation of the request, if it has one, and its path. */
type ErrorRequest = Pick<FormedError, "operation" | "path">;

export type ResponseWriter = ReturnType<typeof createResponseWriter>;

export function createResponseWriter(form: ServiceForm, effects?: WireEffects) {
  const changeHolder = (document: unknown) => effects?.changeHolder(document as object) ?? document;
  return {
    itemVariations: effects?.itemVariations ?? [],

    writeResponse(operation: Operation, response: FinishedResponse, context: PageContext): FinishedResponse {
      if (operation.id === OPERATIONS.document.openapi.id) return response;
      const document = JSON.parse(response.body);
      const changed = effects?.changeDocument(operation, document) ?? document;
      const sent = bindResponse(form, operation).write({ ...response, body: changed }, context);
      const isHeld = form.operations?.[operation.id]?.at !== undefined;
      const body = isHeld ? changeHolder(sent.body) : sent.body;
      const variations = effects?.listVariations(operation, document) ?? [];
      return {
        status: sent.status,
        headers: {
          ...sent.headers,
          ...(variations.length > 0 && { [GREASE_HEADER]: variations.join(", ") }),
        },
        body: body === undefined ? "" : JSON.stringify(body),
      };
    },

    /** Writes items of a list that is too long for {@link writeResponse}: of the field `name` of its document. */
    writeItems(items: readonly object[], schema: TSchema, operation: Operation, name: string) {
      const changed = effects ? items.map((item) => effects.changeItem(item, schema)) : items;
      return bindResponse(form, operation).writeItems(name, changed) as readonly object[];
    },

    /** The type is null for that of a problem document; undefined for an error that has its own form. */
    writeError(error: ProblemError, document: object, request: ErrorRequest) {
      const { code, message, status } = error;
      const { requestId } = document as { readonly requestId?: string };
      const variations = effects?.errorVariations ?? [];
      const given = { status, code, message, requestId, ...request };
      if (error.isOAuth && !isNamedError(form, given)) return undefined;
      const written = writeError(form, given, STATUS_CODES);
      if (written === null) {
        const body = JSON.stringify(effects?.changeProblem(document) ?? document);
        return { status: writeStatus(form, given), headers: {}, type: null, body, variations };
      }
      const { headers, contentType: type, body } = written;
      if (typeof body === "string") {
        const text = effects?.renderErrorText(error) ?? body;
        return { status: written.status, headers, type, body: text, variations: variations.slice(0, 1) };
      }
      const sent = Array.isArray(body) ? body : changeHolder(body);
      return { status: written.status, headers, type, body: JSON.stringify(sent), variations };
    },
  };
}
