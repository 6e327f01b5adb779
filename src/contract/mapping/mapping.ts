import type { Static, TSchema } from "typebox";
import * as Type from "typebox";
import { JOB_STATES } from "../../domain/diligence/states.ts";
import { closedObject, mapOf } from "../schemas.ts";
import { PATH_PATTERN } from "./path.ts";

const MAX_TEXT = 300;

const shortText = (description: string, pattern = "") =>
  Type.String({ maxLength: MAX_TEXT, description, pattern: `^${pattern}` });
const optional = Type.Optional;

/** What an error of a service means (product.md §10). */
export const ERROR_CLASSES = [
  "not_found",
  "unauthorized",
  "forbidden",
  "conflict",
  "not_ready",
  "invalid",
  "rate_limited",
] as const;

export type ErrorClass = (typeof ERROR_CLASSES)[number];

export const TIME_FORMATS = ["rfc3339", "epoch-seconds", "epoch-ms", "http-date"] as const;

const path = shortText("a path: names with dots between them", `${PATH_PATTERN}$`);

const locator = (description: string) => shortText(description, `(?:header:.+|${PATH_PATTERN})$`);

const end = {
  more: optional(locator("the path, or header:NAME, of whether there are more pages")),
  pages: optional(locator("the path, or header:NAME, of the number of pages")),
  total: optional(locator("the path, or header:NAME, of the number of rows")),
  size: optional(shortText("the parameter of the page size")),
};

const pagingByPath = closedObject({
  next: path,
  parameter: optional(shortText("the parameter that takes what is at `next`; without it, `next` is a URL")),
  size: end.size,
});

const pagingByPage = closedObject({
  page: shortText("the parameter of the page number"),
  first: optional(Type.Enum([0, 1])),
  ...end,
});

const pagingByOffset = closedObject({
  offset: shortText("the parameter of the rows before the page"),
  ...end,
});

/** The kinds of lines, each with what a message says of it. */
export const LINE_SCHEMAS = {
  comment: Type.String({ maxLength: 2000, description: "text" }),
  path,
  items: shortText(
    "a path: names with dots between them, with {} after it for an object by id",
    `${PATH_PATTERN}(?:\\{\\})?$`,
  ),
  id: shortText("a path inside of an item, or {} for the key of the item", `(?:\\{\\}|${PATH_PATTERN})$`),
  locator: locator("a path, or header:Location"),
  name: shortText("the name of a query parameter"),
  none: Type.Enum(["none"], { description: '"none"' }),
  amount: Type.Union([path, closedObject({ path, format: Type.Enum(["decimal", "decimal-comma"]) })], {
    description: 'a path, or {"path": …, "format": "decimal"} (or "decimal-comma")',
  }),
  words: mapOf(Type.Enum([...JOB_STATES]), {
    description: `an object: word of the service → ${JOB_STATES.join(", ")}`,
  }),
  errorWords: mapOf(Type.Enum([...ERROR_CLASSES]), {
    description: `an object: "STATUS CODE", "CODE" or "STATUS" → ${ERROR_CLASSES.join(", ")}`,
  }),
  paging: Type.Union([Type.Enum(["link", "none"]), pagingByPath, pagingByPage, pagingByOffset], {
    description:
      '"link", "none", {"next": PATH}, {"next": PATH, "parameter": NAME}, {"page": NAME, "first": 0 or 1} or {"offset": NAME}, the last two with more, pages or total',
  }),
  csv: closedObject(
    {
      delimiter: optional(Type.String({ minLength: 1, maxLength: 1 })),
      decimal: optional(Type.Enum([".", ","])),
    },
    { description: '{"delimiter": ";", "decimal": ","}' },
  ),
  times: Type.Enum([...TIME_FORMATS], { description: TIME_FORMATS.join(", ") }),
} as const satisfies Readonly<Record<string, TSchema>>;

export type LineKind = keyof typeof LINE_SCHEMAS;

type LineOf<Kind extends LineKind> = Static<(typeof LINE_SCHEMAS)[Kind]>;

export type Paging = LineOf<"paging">;
export type CountedPaging = Static<typeof pagingByPage> | Static<typeof pagingByOffset>;
export type JobWords = LineOf<"words">;
export type CsvFormat = LineOf<"csv">;
export type AmountFormat = Exclude<LineOf<"amount">, string>["format"];

/** The keys that are no field of a record or a list, and no part of a request. */
export const FIXED_KEYS = {
  description: "comment",
  "submitted.id": "locator",
  "submitted.body": "none",
  "resume.body": "none",
  "job.words": "words",
  "scan.words": "words",
  "dataset.csv": "csv",
  paging: "paging",
  "error.code": "path",
  "error.message": "path",
  "error.words": "errorWords",
  times: "times",
} as const satisfies Readonly<Record<string, LineKind>>;

type FixedLines = { readonly [Key in keyof typeof FIXED_KEYS]?: LineOf<(typeof FIXED_KEYS)[Key]> };

/** Where a service keeps what the contract describes (product.md §10): a line a key. What has no line is as in the contract. */
export interface Mapping extends FixedLines {
  /** Of records, lists and requests: see `resources.ts`. */
  readonly [line: string]: LineOf<LineKind> | undefined;
}
