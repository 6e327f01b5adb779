import { isDeepStrictEqual } from "node:util";
import type { GreaseDimension } from "../../../../src/contract/grease.ts";
import type { Operation } from "../../../../src/contract/operations/operation.ts";
import { OPERATIONS } from "../../../../src/contract/operations/operations.ts";
import { problem } from "../../../../src/contract/problems.ts";
import { bindResponse } from "../../../../src/contract/service-form/responses.ts";
import type { ProblemError } from "../../../wire/problem-error.ts";
import type { WireEffects } from "../response-writer.ts";
import { describeVariations } from "./choices.ts";
import { FORM_DIMENSIONS, generatePartialForm } from "./generate-form.ts";
import type { ServiceVariant } from "./service-variant.ts";
import type { UnknownFields } from "./unknown-fields.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What grease does besides forms: the order of lists, and unknown fields. The OpenAPI document stays as it is. */
export function createWireEffects(
  { choices, deliveryVariations }: ServiceVariant,
  { addToRoot, addEverywhere }: UnknownFields,
): WireEffects {
  const describe = (...dimensions: GreaseDimension[]) => describeVariations(choices, dimensions);
  const forms = FORM_DIMENSIONS.filter((dimension) => choices[dimension] !== null).map(
    (dimension) => [dimension, generatePartialForm(dimension, choices)] as const,
  );

  const reorder = (document: object): object =>
    choices.listOrder !== null && isPage(document) ? reorderPage(document, choices.listOrder) : document;

  return {
    changeDocument: (operation, document) => addEverywhere(reorder(document), operation.response.schema),

    changeItem: addEverywhere,
    changeHolder: addToRoot,
    changeProblem: (document) => addEverywhere(document, problem),
    renderErrorText: (error) => (choices.errorShape === "html" ? renderErrorPage(error) : null),

    listVariations(operation: Operation, document: object): string[] {
      const { status } = operation.response;
      const response = { status, headers: {}, body: document };
      const varied = forms.flatMap(([dimension, form]) => {
        const sent = bindResponse(form, operation).write(response);
        const isSame = sent.status === status && isDeepStrictEqual(sent.body, document);
        return isSame ? [] : describe(dimension);
      });
      const paging = isPage(document) && document.nextCursor !== null ? describe("paging") : [];
      const order = reorder(document) === document ? [] : describe("listOrder");
      const deliveries = operation.id === OPERATIONS.webhooks.test.id ? deliveryVariations : [];
      return [...new Set([...varied, ...order, ...paging, ...describe("unknownFields"), ...deliveries])];
    },

    itemVariations: describe("unknownFields"),
    errorVariations: describe("errorShape", "unknownFields"),
  };
}

interface ListPage extends Fields {
  readonly data: readonly Fields[];
  readonly nextCursor: string | null;
}

const isPage = (document: object): document is ListPage =>
  "nextCursor" in document && "data" in document && Array.isArray(document.data);

/** Each page has its own order. Ids are random: sorting by them is a disorder that is always the same. */
function reorderPage(page: ListPage, order: "oldest-first" | "unordered"): ListPage {
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
