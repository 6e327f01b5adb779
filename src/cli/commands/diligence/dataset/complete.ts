import { findItems } from "../../../../contract/mapping/list.ts";
import { ListEvidence } from "../../../../contract/mapping/list-evidence.ts";
import { pathOf } from "../../../../contract/mapping/path.ts";
import { rejectedError, unreachableError } from "../../../../domain/errors.ts";
import { isRecord, parseJsonText } from "../../../../domain/json.ts";
import { JsonOutline } from "../../../../domain/json-outline.ts";
import { findLink } from "../../../../domain/links.ts";

type Headers = Readonly<Record<string, string>>;

export type DatasetFormat = "json" | "csv" | "ndjson";

/** The format by the content type: JSON for any other one. */
export function readFormat({ "content-type": type = "" }: Headers): DatasetFormat {
  if (/^text\/(csv|tab-separated-values)/.test(type)) return "csv";
  return type.includes("ndjson") ? "ndjson" : "json";
}

/**
 * A dataset is read in one piece: the interface shows no pages of it (§4). One that says that it has more rows is not whole.
 *
 * @param document the dataset, or its outline; undefined if it is not one JSON document
 * @throws ClaimsError `list_incomplete`
 */
export function requireWholeDataset(headers: Headers, document?: unknown): void {
  const evidence = new ListEvidence();
  const holders = isRecord(document) ? [document] : [];
  const located = findItems(document) ?? { items: [], isById: false, holders, path: pathOf() };
  evidence.add({ headers, located, next: null });
  const link = findLink(headers.link ?? "", "next");
  // The rows of an outline are left out, so that a total says nothing.
  const gap = evidence.more ?? (link === null ? null : `the response has a link to ${link}`);
  if (gap === null) return;
  throw rejectedError("list_incomplete", `the dataset has more rows than the service sent: ${gap}`, {
    hint: "`claims api GET` reads a page with the parameters of the service",
  });
}

/**
 * Passes the bytes of a dataset on. Throws at their end if they are not all.
 *
 * @param check gets the members of its JSON before that, and may throw; undefined for other formats
 */
export async function* passWholeDataset(
  body: AsyncIterable<Uint8Array>,
  headers: Headers,
  check: (document: unknown) => void | Promise<void> = () => {},
): AsyncGenerator<Uint8Array> {
  const outline = new JsonOutline();
  if (readFormat(headers) === "ndjson") yield* passWholeLines(body);
  else
    for await (const bytes of body) {
      outline.push(bytes);
      yield bytes;
    }
  const document = outline.read();
  requireWholeDataset(headers, document);
  await check(document);
}

const LINE_FEED = 0x0a;

/** Passes NDJSON on, a line once it is whole. @throws ClaimsError `response_truncated` if the last one is not */
async function* passWholeLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let begun: Uint8Array[] = [];
  for await (const bytes of body) {
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      yield* begun;
      yield bytes.subarray(0, end);
      begun = [];
    }
    begun.push(bytes.subarray(end));
  }
  const last = Buffer.concat(begun);
  const text = last.toString("utf8").trim();
  if (text !== "" && parseJsonText(text) === undefined)
    throw unreachableError("response_truncated", "the dataset ends inside of a row", {
      hint: "try again",
      retryable: true,
    });
  yield last;
}

/** Other JSON than an object or a list. */
const JSON_SCALAR = /^(null|true|false|".*"|-?\d[\d.eE+-]*)\s*$/;

/** The first character of a page, of JSON, or of a compressed file (its second one may be of any file). */
const NO_CSV = /^[<{[\x1f]/;

/** Passes the bytes on. Throws if they are none, or if the first of them cannot begin a dataset of this form. */
export async function* requireForm(
  body: AsyncIterable<Uint8Array>,
  form: DatasetFormat,
): AsyncGenerator<Uint8Array> {
  let isChecked = false;
  for await (const chunk of body) {
    const start: string = isChecked ? "" : Buffer.from(chunk).toString("latin1").trimStart();
    if (form !== "csv" && JSON_SCALAR.test(start)) throw noEntriesError(start.trimEnd());
    if (start !== "" && (form === "csv" ? NO_CSV.test(start) : !/^[[{]/.test(start)))
      throw notInFormError(form);
    isChecked ||= start !== "";
    yield chunk;
  }
  // CSV has a heading.
  if (!isChecked && form === "csv") throw notInFormError(form);
}

const notInFormError = (form: string) =>
  unreachableError(
    "unexpected_response",
    `the dataset is not ${form.toUpperCase()}, although its content type is`,
    { hint: "check that the base URL is the service itself; `claims api GET` shows the response" },
  );

/** @param found what the service sent in place of an entry, or of all */
export const noEntriesError = (found: string) =>
  rejectedError("response_incomplete", `expected the entries of the dataset as objects (got ${found})`, {
    hint: "print what the service sends with `claims api GET`",
  });
