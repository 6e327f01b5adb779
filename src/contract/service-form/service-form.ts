import Type, { type Static } from "typebox";
import { strictObject } from "../schemas.ts";
import { CODEC_NAMES } from "./codecs.ts";
import { evidence } from "./evidence.ts";
import { KINDS } from "./kinds.ts";

export const FORM_VERSION = 1;

const MAX_TEXT = 300;

const text = (description?: string) =>
  Type.String({ maxLength: MAX_TEXT, ...(description && { description }) });
const place = (what: string) => text(`${what}: names with a full stop between them`);
const optional = Type.Optional;
const word = () => Type.Union([text(), Type.Number(), Type.Boolean()]);
const description = {
  description: optional(Type.String({ maxLength: 2000, description: "a comment for people" })),
};

/** Where a field stands in the service's record, and how its value is written. */
const row = Type.Union([
  Type.Null({ description: "the service does not have it" }),
  place("where the field is"),
  strictObject({
    ...description,
    at: optional(place("where the field is")),
    header: optional(text("the header that has it")),
    as: optional(Type.Enum([...CODEC_NAMES], { description: "how its value is written" })),
    words: optional(
      Type.Record(text(), word(), { description: "word of the contract → that of the service" }),
    ),
    prefix: optional(text("what stands before the value")),
    each: optional(text("of a list of texts: the member of an object that holds each")),
  }),
]);

const rows = () => Type.Record(text(), row, { description: "field of the contract → its row" });

const derived = strictObject({
  from: text("the field of the contract"),
  words: Type.Record(text(), word(), { description: "its word → the value here" }),
});

const record = strictObject({
  ...description,
  fields: optional(rows()),
  derived: optional(
    Type.Record(text(), derived, {
      description: "fields that another one decides, by place: the number of a state beside its word",
    }),
  ),
  constants: optional(
    Type.Record(text(), Type.Unknown(), { description: "fields that always have one value, by place" }),
  ),
});

const extra = Type.Union([Type.Enum([...KINDS]), strictObject({ word: word() })]);

const extras = Type.Record(text(), extra, {
  description: "fields that the contract does not have: place → kind of the value; * is each item of a list",
});

const paging = strictObject({
  ...description,
  kind: Type.Enum(["cursor", "page", "offset", "link", "none"]),
  parameter: optional(text("the query parameter of the cursor, the page or the offset")),
  size: optional(text("the query parameter of the rows per page")),
  rows: optional(Type.Integer({ minimum: 1, description: "rows per page if the request does not say" })),
  first: optional(Type.Integer({ minimum: 0, maximum: 1, description: "the number of the first page" })),
  next: optional(place("the cursor, the number or the URL of the next page")),
  isUrl: optional(Type.Boolean({ description: "whether next is a URL" })),
  isAbsolute: optional(Type.Boolean({ description: "whether that URL has the origin" })),
  self: optional(place("the URL of the page itself")),
  total: optional(place("the number of all rows")),
  pages: optional(place("the number of pages")),
  current: optional(place("the number of the page, or the offset")),
  count: optional(place("the number of rows of the page")),
  hasMore: optional(place("whether more rows follow")),
  contentRange: optional(text("the unit of a Content-Range header")),
  link: optional(Type.Boolean({ description: "whether a Link header has the next page" })),
});

const operation = strictObject({
  ...description,
  status: optional(Type.Integer({ minimum: 200, maximum: 299 })),
  contentType: optional(text()),
  record: optional(text("the record, if not that of the contract")),
  at: optional(place("where the record is")),
  items: optional(place("where the items of a list are; empty for a bare list")),
  map: optional(Type.Boolean({ description: "whether the list is an object by id" })),
  isEmpty: optional(Type.Boolean({ description: "whether the response has no body" })),
  location: optional(text("the Location header, such as /v1/clients/{id} or {origin}/v1/clients/{id}")),
  constants: optional(Type.Record(text(), Type.Unknown())),
  extras: optional(extras),
  paging: optional(paging),
  csv: optional(
    strictObject({
      delimiter: optional(Type.String({ minLength: 1, maxLength: 1 })),
      only: optional(Type.Boolean({ description: "whether the service has the dataset as CSV alone" })),
      eol: optional(Type.Enum(["lf"], { description: "the end of a line, if not CRLF" })),
      bom: optional(Type.Boolean({ description: "whether a byte order mark comes first" })),
      columns: optional(
        Type.Array(place("the name of a column"), {
          minItems: 1,
          description: "all columns, in their order: each is the place of a field or of an extra",
        }),
      ),
      fields: optional(rows()),
      extras: optional(extras),
    }),
  ),
  query: optional(Type.Record(text(), text(), { description: "parameter of the contract → its name" })),
  request: optional(rows()),
});

const errors = strictObject({
  ...description,
  contentType: optional(text()),
  isText: optional(Type.Boolean({ description: "whether the body is the message alone" })),
  at: optional(place("the object or the list of the errors")),
  isList: optional(Type.Boolean({ description: "whether there is a list of errors" })),
  code: optional(Type.Union([place("the code, in the object"), Type.Null()])),
  message: optional(Type.Union([place("the message, in the object"), Type.Null()])),
  header: optional(text("the header that has the code")),
  separator: optional(text("of a text: what stands between the code and the message")),
  status: optional(place("the status, in the object")),
  statusAs: optional(Type.Enum(["text"], { description: "how the status is written" })),
  reason: optional(place("the reason phrase of the status (RFC 9110 §15), in the object")),
  requestId: optional(place("the id of the request, in the object")),
  path: optional(place("the path of the request, in the object")),
  codes: optional(
    Type.Record(text(), word(), { description: "code, or operation and code → the service's" }),
  ),
  statuses: optional(
    Type.Record(text(), Type.Integer({ minimum: 400, maximum: 599 }), {
      description: "code, operation and code, or status of the contract → the status of the service",
    }),
  ),
  constants: optional(Type.Record(text(), Type.Unknown())),
  extras: optional(extras),
});

const deliveries = strictObject({
  contentType: optional(text()),
  payload: optional(Type.Enum(["sorted", "reversed", "indented", "spaced", "newline"])),
  headerCase: optional(Type.Enum(["lower", "upper", "mixed"])),
  timestamp: optional(Type.Enum([...CODEC_NAMES])),
  extras: optional(extras),
});

const openPoint = strictObject({
  subject: text("an operation, or a field of the contract"),
  seen: text("what was seen, without values"),
  reason: text(),
});

/** How a service writes what the contract describes (product.md §10). What is absent is as in the contract. */
export const serviceForm = strictObject({
  $schema: optional(Type.String()),
  serviceForm: Type.Enum([FORM_VERSION]),
  ...description,
  names: optional(
    Type.Enum(["snake", "kebab", "pascal"], { description: "the style of the names without a row" }),
  ),
  times: optional(Type.Enum([...CODEC_NAMES], { description: "how times without a row are written" })),
  money: optional(Type.Enum([...CODEC_NAMES], { description: "how amounts without a row are written" })),
  nulls: optional(Type.Enum(["omitted"], { description: "whether a field that is null is left out" })),
  idempotencyKeys: optional(
    Type.Enum(["ignored"], { description: "whether the same key makes another write" }),
  ),
  order: optional(Type.Enum(["oldest-first"], { description: "of the items of lists" })),
  records: optional(Type.Record(text(), record)),
  operations: optional(Type.Record(text(), operation)),
  errors: optional(errors),
  parameters: optional(
    Type.Record(text(), text(), { description: "query parameter of the contract → its name" }),
  ),
  deliveries: optional(deliveries),
  open: optional(Type.Array(openPoint, { description: "what the service does and this form does not say" })),
  evidence: optional(evidence),
});

export type ServiceForm = Static<typeof serviceForm>;
export type RecordForm = Static<typeof record>;
export type DerivedFields = NonNullable<RecordForm["derived"]>;
export type OperationForm = Static<typeof operation>;
export type RequestForm = Pick<OperationForm, "query" | "request">;
export type PagingForm = Static<typeof paging>;
export type ErrorsForm = Static<typeof errors>;
export type OpenPoint = Static<typeof openPoint>;
export type ExtraForm = Static<typeof extra>;
export type Row = Static<typeof row>;
