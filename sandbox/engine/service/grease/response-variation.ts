import { isDeepStrictEqual } from "node:util";
import { GREASE_DIMENSIONS, type GreaseDimension } from "../../../../src/contract/grease.ts";
import type { JsonSchema } from "../../../../src/contract/json-schema.ts";
import type { Mapping } from "../../../../src/contract/mapping/mapping.ts";
import { mapTimes } from "../../../../src/contract/mapping/values.ts";
import { writeResponse } from "../../../../src/contract/mapping/write-response.ts";
import { type Operation, statusLabelOf } from "../../../../src/contract/operations/operation.ts";
import { OPERATIONS } from "../../../../src/contract/operations/operations.ts";
import { isRecord } from "../../../../src/domain/json.ts";
import type { ProblemError } from "../../../wire/problem-error.ts";
import { listDeliveryVariants } from "../delivery-encoder.ts";
import type { UnknownFields } from "./unknown-fields.ts";
import { describeVariants, findVariantLines, type GreaseVariants } from "./variants.ts";

export type ResponseVariation = ReturnType<typeof createResponseVariation>;

/** What grease varies besides its mapping: statuses, the order of lists, times, pages of errors and unknown fields. */
export function createResponseVariation(variants: GreaseVariants, unknownFields: UnknownFields) {
  const mappedDimensions = GREASE_DIMENSIONS.map((dimension) => ({
    dimension,
    lines: findVariantLines(dimension, variants),
  })).filter(({ lines }) => Object.keys(lines).length > 0);

  const reorder = (document: object): object =>
    variants.listOrder !== null && isPage(document) ? reorderPage(document, variants.listOrder) : document;
  const changeTimes = (document: object, { response }: Operation): object =>
    variants.timestampFormat === "rfc3339"
      ? (mapTimes(document, response.schema as JsonSchema, addOffset) as object)
      : document;
  const chooseStatus = ({ response }: Operation): number =>
    variants.successStatus !== null && statusLabelOf(response).basis === "assumed" ? 200 : response.status;

  return {
    unknownFields,

    changeDocument: (operation: Operation, document: object): object =>
      unknownFields.addEverywhere(changeTimes(reorder(document), operation), operation.response.schema),

    /** The page of an error that is not JSON, and its type; null for the message alone. */
    writeErrorPage: (error: ProblemError) =>
      variants.errorShape === "html"
        ? { type: "text/html; charset=utf-8", body: renderErrorPage(error) }
        : null,
    chooseStatus,

    /** What was varied in a response: `dimension=variant`. */
    listVariants(operation: Operation, document: object): readonly string[] {
      const hasChanged = (changed: unknown) => !isDeepStrictEqual(changed, document);
      const write = (lines: Mapping) =>
        writeResponse(lines, operation, { headers: {}, body: document }, { url: ANY_URL }).body;
      const rows: readonly (readonly [dimension: GreaseDimension, isVaried: boolean])[] = [
        ...mappedDimensions.map(({ dimension, lines }) => [dimension, hasChanged(write(lines))] as const),
        ["timestampFormat", hasChanged(changeTimes(document, operation))],
        ["successStatus", chooseStatus(operation) !== operation.response.status],
        ["listOrder", hasChanged(reorder(document))],
        ["paging", isPage(document) && document.nextCursor !== null],
        ["unknownFields", true],
      ];
      const dimensions = rows.filter(([, isVaried]) => isVaried).map(([dimension]) => dimension);
      const isTest = operation.id === OPERATIONS.webhooks.test.id;
      const deliveries = isTest ? listDeliveryVariants(variants) : [];
      return [...new Set([...describeVariants(variants, dimensions), ...deliveries])];
    },

    itemVariants: describeVariants(variants, ["unknownFields"]),
    errorVariants: describeVariants(variants, ["errorShape", "unknownFields"]),
  };
}

/** Its responses are compared, and never sent. */
const ANY_URL = "http://localhost/";

interface ListPage extends Readonly<Record<string, unknown>> {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly nextCursor: string | null;
}

const isPage = (document: unknown): document is ListPage =>
  isRecord(document) && "nextCursor" in document && Array.isArray(document.data);

/** The same second with `+00:00` in place of `Z`. */
export const addOffset = (time: unknown): unknown =>
  typeof time === "string" ? time.replace(/(\.\d+)?Z$/, "+00:00") : time;

/** Each page has its own order. Ids are random: sorting by them is a disorder that is always the same. */
function reorderPage<Page extends { readonly data: readonly Readonly<Record<string, unknown>>[] }>(
  page: Page,
  order: "oldest-first" | "unordered",
): Page {
  if (page.data.length < 2) return page;
  const data =
    order === "oldest-first"
      ? page.data.toReversed()
      : page.data.toSorted((one, other) => (String(one.id) < String(other.id) ? -1 : 1));
  return { ...page, data };
}

function renderErrorPage({ status, title, message }: ProblemError): string {
  const heading = escapeHtml(`${status} ${title}`);
  return `<!doctype html>\n<title>${heading}</title>\n<h1>${heading}</h1>\n<p>${escapeHtml(message)}</p>\n`;
}

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
