import { isDeepStrictEqual } from "node:util";
import { GREASE_DIMENSIONS, type GreaseDimension } from "../../../../src/contract/grease.ts";
import type { JsonSchema } from "../../../../src/contract/json-schema.ts";
import { mapTimes } from "../../../../src/contract/mapping/values.ts";
import { writeResponse } from "../../../../src/contract/mapping/write.ts";
import { type Operation, statusLabelOf } from "../../../../src/contract/operations/operation.ts";
import { OPERATIONS } from "../../../../src/contract/operations/operations.ts";
import { problem } from "../../../../src/contract/problems.ts";
import { isRecord } from "../../../../src/domain/json.ts";
import type { ProblemError } from "../../../wire/problem-error.ts";
import { listDeliveryVariants } from "../delivery-encoder.ts";
import type { UnknownFields } from "./unknown-fields.ts";
import { describeVariants, findVariantLines, type GreaseVariants } from "./variants.ts";

export type WireEffects = ReturnType<typeof createWireEffects>;

/** What grease does besides its mapping: statuses, the order of lists, times, pages of errors and unknown fields. */
export function createWireEffects(variants: GreaseVariants, { addToRoot, addEverywhere }: UnknownFields) {
  const describe = (...dimensions: GreaseDimension[]) => describeVariants(variants, dimensions);
  const mappings = GREASE_DIMENSIONS.map(
    (dimension) => [dimension, findVariantLines(dimension, variants)] as const,
  ).filter(([, lines]) => Object.keys(lines).length > 0);

  const reorder = (document: object): object =>
    variants.listOrder !== null && isPage(document) ? reorderPage(document, variants.listOrder) : document;
  const changeTimes = (document: object, { response }: Operation): object =>
    variants.timestampFormat === "rfc3339"
      ? (mapTimes(document, response.schema as JsonSchema, addOffset) as object)
      : document;
  const chooseStatus = ({ response }: Operation): number =>
    variants.successStatus !== null && statusLabelOf(response).basis === "assumed" ? 200 : response.status;

  return {
    changeDocument: (operation: Operation, document: object): object =>
      addEverywhere(changeTimes(reorder(document), operation), operation.response.schema),

    changeItem: addEverywhere,
    /** Changes the object that the mapping put around an error. */
    changeHolder: addToRoot,
    changeProblem: (document: object): object => addEverywhere(document, problem),
    /** The page of an error that is not JSON, and its type; null for the message alone. */
    renderErrorPage: (error: ProblemError) =>
      variants.errorShape === "html"
        ? { type: "text/html; charset=utf-8", body: renderErrorPage(error) }
        : null,
    chooseStatus,

    /** What was varied in a response: `dimension=variant`. */
    listVariants(operation: Operation, document: object): readonly string[] {
      const varied = mappings.flatMap(([dimension, mapping]) => {
        const { body } = writeResponse(mapping, operation, { headers: {}, body: document }, { url: ANY_URL });
        return isDeepStrictEqual(body, document) ? [] : describe(dimension);
      });
      const times = changeTimes(document, operation) === document ? [] : describe("timestampFormat");
      const status = chooseStatus(operation) === operation.response.status ? [] : describe("successStatus");
      const paging = isPage(document) && document.nextCursor !== null ? describe("paging") : [];
      const order = reorder(document) === document ? [] : describe("listOrder");
      const isTest = operation.id === OPERATIONS.webhooks.test.id;
      const deliveries = isTest ? listDeliveryVariants(variants) : [];
      const all = [...varied, ...times, ...status, ...order, ...paging];
      return [...new Set([...all, ...describe("unknownFields"), ...deliveries])];
    },

    itemVariants: describe("unknownFields"),
    errorVariants: describe("errorShape", "unknownFields"),
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
