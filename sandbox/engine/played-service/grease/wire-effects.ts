import { isDeepStrictEqual } from "node:util";
import type { GreaseDimension } from "../../../../src/contract/grease.ts";
import type { JsonSchema } from "../../../../src/contract/json-schema.ts";
import { mapTimes } from "../../../../src/contract/mapping/values.ts";
import { createMappingWriter } from "../../../../src/contract/mapping/write.ts";
import { type Operation, statusLabelOf } from "../../../../src/contract/operations/operation.ts";
import { OPERATIONS } from "../../../../src/contract/operations/operations.ts";
import { problem } from "../../../../src/contract/problems.ts";
import type { ProblemError } from "../../../wire/problem-error.ts";
import { isPage, type WireEffects } from "../response-writer.ts";
import { describeVariations } from "./choices.ts";
import { generatePart, MAPPING_DIMENSIONS } from "./generate-mapping.ts";
import type { ServiceVariant } from "./service-variant.ts";
import type { UnknownFields } from "./unknown-fields.ts";

/** What grease does besides its mapping: statuses, the order of lists, times, pages of errors and unknown fields. */
export function createWireEffects(
  { choices, deliveryVariations }: ServiceVariant,
  { addToRoot, addEverywhere }: UnknownFields,
): WireEffects {
  const describe = (...dimensions: GreaseDimension[]) => describeVariations(choices, dimensions);
  const parts = MAPPING_DIMENSIONS.filter((dimension) => choices[dimension] !== null).map(
    (dimension) => [dimension, createMappingWriter(generatePart(dimension, choices))] as const,
  );
  const page = { urlOf: () => "", limit: 0, countRows: () => 0 };

  const reorder = (document: object): object =>
    choices.listOrder !== null && isPage(document) ? reorderPage(document, choices.listOrder) : document;
  const changeTimes = (document: object, { response }: Operation): object =>
    choices.timestampFormat === "rfc3339"
      ? (mapTimes(document, response.schema as JsonSchema, addOffset) as object)
      : document;
  const chooseStatus = ({ response }: Operation): number =>
    choices.successStatus !== null && statusLabelOf(response).basis === "assumed" ? 200 : response.status;

  return {
    changeDocument: (operation, document) =>
      addEverywhere(changeTimes(reorder(document), operation), operation.response.schema),

    changeItem: addEverywhere,
    changeHolder: addToRoot,
    changeProblem: (document) => addEverywhere(document, problem),
    renderErrorPage: (error) =>
      choices.errorShape === "html"
        ? { type: "text/html; charset=utf-8", body: renderErrorPage(error) }
        : null,
    chooseStatus,

    listVariations(operation: Operation, document: object): string[] {
      const varied = parts.flatMap(([dimension, writer]) => {
        const { body } = isPage(document)
          ? writer.writePage(operation, document, {}, { ...page, next: document.nextCursor })
          : writer.write(operation, document);
        return isDeepStrictEqual(body, document) ? [] : describe(dimension);
      });
      const times = changeTimes(document, operation) === document ? [] : describe("timestampFormat");
      const status = chooseStatus(operation) === operation.response.status ? [] : describe("successStatus");
      const paging = isPage(document) && document.nextCursor !== null ? describe("paging") : [];
      const order = reorder(document) === document ? [] : describe("listOrder");
      const deliveries = operation.id === OPERATIONS.webhooks.test.id ? deliveryVariations : [];
      const all = [...varied, ...times, ...status, ...order, ...paging];
      return [...new Set([...all, ...describe("unknownFields"), ...deliveries])];
    },

    itemVariations: describe("unknownFields"),
    errorVariations: describe("errorShape", "unknownFields"),
  };
}

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
