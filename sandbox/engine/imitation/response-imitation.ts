import type { TSchema } from "typebox";
import { type FieldSchema, isList } from "../../../src/contract/observed/align.ts";
import { type ObservedForms, rootPlaceOf } from "../../../src/contract/observed/observed-forms.ts";
import type { ErrorForm } from "../../../src/contract/observed/observed-service.ts";
import type { Operation } from "../../../src/contract/operation.ts";
import { OPERATIONS } from "../../../src/contract/operations.ts";
import { problem } from "../../../src/contract/problems.ts";
import type { FinishedResponse } from "../../store/stored-responses.ts";
import type { ProblemError } from "../../wire/problem-error.ts";
import { renderErrorShape } from "../grease/error-shape.ts";
import type { ResponseRewriter, RewrittenError } from "../response-rewriter.ts";
import type { createDocumentRewriter } from "./document-rewriter.ts";
import type { RequestNames } from "./request-names.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Writes the responses of the sandbox in the form of an observed service (product.md §10). */
export function createResponseImitation(
  forms: ObservedForms,
  { rewrite, addUnknownFields }: ReturnType<typeof createDocumentRewriter>,
  requestNames: RequestNames,
): ResponseRewriter {
  const rewritePage = ({ id, response }: Operation, { data, ...others }: Fields): unknown => {
    const { properties = {} } = response.schema as FieldSchema;
    const { data: list, ...ownProperties } = properties;
    const records = data as readonly Fields[];
    const rows = records.map((row) => rewrite(row, list?.items ?? {}, `${id}.data[]`, id));
    const { items, order } = forms.listOf(id);
    const sent = reorder(records, rows, order);
    if (items === null) return sent;
    const rest = rewrite(others, { properties: ownProperties }, id, id) as Fields;
    return { [items]: sent, ...rest };
  };

  const rewriteDocument = (operation: Operation, sent: Fields): unknown => {
    const { id, response } = operation;
    const schema = response.schema as FieldSchema;
    const document = isList(schema) ? rewritePage(operation, sent) : rewrite(sent, schema, id, id);
    const wrapper = forms.wrapperOf(id);
    return wrapper === null ? document : addUnknownFields({ [wrapper]: document }, `${id} document`);
  };

  const rewriteHeaders = (id: string, headers: FinishedResponse["headers"]): FinishedResponse["headers"] => {
    const { type = "" } = forms.successOf(id) ?? {};
    const kept = Object.entries(headers)
      .filter(([name]) => forms.hasHeader(id, name))
      .map(([name, value]) => [name, name === "Link" ? renameParameters(id, value) : value]);
    const isOtherJson = type.endsWith("+json") && isWhole(type);
    return { ...Object.fromEntries(kept), ...(isOtherJson && { "Content-Type": type }) };
  };

  /** In the target of a link, which is a query alone. */
  const renameParameters = (id: string, link: string): string =>
    link.replace(/[\w.-]+(?==)(?=[^>]*>)/g, (name) => requestNames.toObserved(id, name));

  return {
    itemVariations: [],

    rewriteResponse(operation, { status, headers, body }) {
      if (operation.id === OPERATIONS.document.openapi.id) return { status, headers, body };
      return {
        status: forms.statusOf(operation),
        headers: rewriteHeaders(operation.id, headers),
        body: JSON.stringify(rewriteDocument(operation, JSON.parse(body))),
      };
    },

    rewriteItem: (item: object, schema: TSchema, { id }: Operation, name: string): object =>
      rewrite(item, schema as FieldSchema, `${rootPlaceOf(id)}.${name}[]`, id) as object,

    rewriteError(error: ProblemError, document: object, operation: string | null): RewrittenError {
      const { form = "problem" } = forms.errorOf(operation, error.status) ?? {};
      const type = forms.errorTypeOf(form) ?? null;
      const shape = toErrorShape(form);
      if (shape === null) {
        const body = JSON.stringify(rewrite(document, problem as FieldSchema, "Problem", operation ?? "*"));
        return { type, body, variations: [] };
      }
      const other = renderErrorShape(error, shape);
      if ("text" in other) return { type: other.type, body: other.text, variations: [] };
      const body = JSON.stringify(addUnknownFields(other.json, "Error"));
      const isPlainJson = type === null || type === "application/json" || !isWhole(type);
      return { type: isPlainJson ? other.type : type, body, variations: [] };
    },
  };
}

/** Whether a content type is one, rather than the pattern of one whose name was not kept. */
const isWhole = (type: string): boolean => !type.includes("*");

/** Null for a problem document, which the sandbox also sends for a form that it does not have. */
const toErrorShape = (form: ErrorForm) => (form === "problem" || form === "other" ? null : form);

/** Sorts the written rows as the service does; ids are random, so that their order is a disorder. */
function reorder(
  records: readonly Fields[],
  rows: readonly unknown[],
  order: string | null,
): readonly unknown[] {
  if (order === "oldest-first") return rows.toReversed();
  if (order !== "unordered") return rows;
  return rows
    .map((row, index) => ({ row, id: String(records[index]?.id) }))
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ row }) => row);
}
