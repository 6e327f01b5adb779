import type { StreamingResponse } from "../../../../client/http/response.ts";
import { ListEvidence } from "../../../../client/list-evidence.ts";
import type { LocatedItems } from "../../../../contract/mapping/list.ts";
import { type ClaimsError, rejectedError, unreachableError } from "../../../../domain/errors.ts";
import { isRecord, quoteValue } from "../../../../domain/json.ts";
import { findLink } from "../../../../domain/links.ts";
import { requireNoFailure } from "../../../connection/json-response.ts";
import { isRow, locateRows, toLocatedItems } from "./rows.ts";
import { passWholeCsv, passWholeJson, passWholeLines, type RequireJob } from "./whole-body.ts";

type Headers = Readonly<Record<string, string>>;

export type DatasetFormat = "json" | "csv" | "ndjson";

/** The format by the content type: JSON for any other one. */
export function readFormat({ "content-type": type = "" }: Headers): DatasetFormat {
  if (/^text\/(csv|tab-separated-values)/.test(type)) return "csv";
  return /ndjson|jsonl/.test(type) ? "ndjson" : "json";
}

/**
 * A dataset is read in one piece: the interface shows no pages of it (§4). One that says that it has more rows is not whole.
 *
 * @throws ClaimsError `list_incomplete`
 */
function requireWholeDataset(headers: Headers, document: unknown, rows: number): void {
  const place = locateRows(document) ?? { value: document, rows: [], path: [], holders: [] };
  const outer = place.holders.length > 0 ? place.holders : [document].filter(isRecord);
  // That of a job that ended partial may say so.
  const holders = outer.map(({ partial: _, ...fields }) => fields);
  requireNoGap(headers, { ...toLocatedItems(place), holders }, rows);
}

/** The same by the headers alone. */
const requireNoMorePages = (headers: Headers): void => requireNoGap(headers, null, null);

/** @param rows null if they were not counted */
function requireNoGap(headers: Headers, located: LocatedItems | null, rows: number | null): void {
  const evidence = new ListEvidence();
  evidence.add({ headers, located, next: null }, rows ?? 0);
  const link = findLink(headers.link ?? "", "next");
  const gap =
    evidence.findGap(rows === null) ?? (link === null ? null : `the response has a link to ${link}`);
  if (gap === null) return;
  throw rejectedError("list_incomplete", `the dataset has more rows than the service sent: ${gap}`, {
    hint: "`claims api GET` reads a page with the parameters of the service",
  });
}

/**
 * `{"rows": []}` and `{"rows": {"1": {…}}}` have a place for rows, `{"entryNumber": …}` is a row, and `{"status": "ok"}` is neither.
 *
 * @throws ClaimsError for JSON that says that it failed (`stated_failure`), or has no place for rows (`response_incomplete`)
 */
function requireRows(document: unknown): void {
  if (!isRecord(document)) return;
  // The lists of the document may be errors of rows, and say nothing of the document.
  const fields = Object.entries(document).filter(([, value]) => !Array.isArray(value));
  requireNoFailure(Object.fromEntries(fields), "the dataset");
  if (!isRow(document) && !hasPlaceForRows(document)) throw noEntriesError(quoteValue(document));
}

/** Rows are a list, or an object by id. */
const hasPlaceForRows = (value: unknown): boolean =>
  Array.isArray(value) ||
  (isRecord(value) &&
    Object.values(value).some(
      (inner) => hasPlaceForRows(inner) || (isRecord(inner) && isObjectOfObjects(inner)),
    ));

const isObjectOfObjects = (value: Readonly<Record<string, unknown>>): boolean =>
  Object.values(value).every(isRecord);

/** Gets the JSON of a dataset at its end, with all lists empty, and may throw; undefined for CSV and NDJSON. */
export type EndCheck = (document: unknown) => void | Promise<void>;

/** Passes the bytes of a dataset on. Throws if it is that of another job, and at its end if the bytes are not all. */
export async function* passWholeDataset(
  { body, headers }: Pick<StreamingResponse, "body" | "headers">,
  requireJob: RequireJob,
  checkEnd: EndCheck,
): AsyncGenerator<Uint8Array> {
  const format = readFormat(headers);
  if (format !== "json") {
    yield* format === "csv" ? passWholeCsv(body) : passWholeLines(body, requireJob);
    requireNoMorePages(headers);
    return await checkEnd(undefined);
  }
  const outline = yield* passWholeJson(body, requireJob);
  if (outline === null) throw noEntriesError("an empty response");
  const document = outline.read();
  if (document === undefined) requireNoMorePages(headers);
  else {
    requireRows(document);
    requireWholeDataset(headers, document, outline.rows);
  }
  await checkEnd(document);
}

/** Other JSON than an object or a list. */
const JSON_SCALAR = /^(null|true|false|".*"|-?\d[\d.eE+-]*)\s*$/;

/** The first character of a page, of JSON, or of a compressed file (its second one may be of any file). */
const NO_CSV = /^[<{[\x1f]/;

/** Passes the bytes on. Throws if they are none, or if the first of them cannot begin a dataset of this form. */
export async function* requireForm(
  { body, headers }: Pick<StreamingResponse, "body" | "headers">,
  form: DatasetFormat,
): AsyncGenerator<Uint8Array> {
  let isChecked = false;
  for await (const chunk of body) {
    const start: string = isChecked ? "" : Buffer.from(chunk).toString("latin1").trimStart();
    if (form !== "csv" && JSON_SCALAR.test(start)) throw noEntriesError(start.trimEnd());
    if (start !== "" && (form === "csv" ? NO_CSV.test(start) : !/^[[{]/.test(start)))
      throw notInFormError(form, headers);
    isChecked ||= start !== "";
    yield chunk;
  }
  // CSV has a heading.
  if (!isChecked && form === "csv") throw notInFormError(form, headers);
}

export const notInFormError = (form: DatasetFormat, headers: Headers, cause?: unknown): ClaimsError =>
  unreachableError(
    "unexpected_response",
    `the dataset is not ${form.toUpperCase()}; its content type is ${describeType(headers)}`,
    { hint: "check that the base URL is the service itself; `claims api GET` shows the response", cause },
  );

const describeType = ({ "content-type": type }: Headers): string => type ?? "not given";

/** @param wanted the content type that was asked for */
export function otherFormatError(headers: Headers, wanted: string): ClaimsError {
  const { "content-type": type = "no content type" } = headers;
  const readHint = "a line `dataset.csv` of a mapping says how to read it (`claims help mapping`)";
  const csvHint = `\`claims diligence dataset JOB --csv\` prints it as it came, and \`--csv --out FILE\` saves it; ${readHint}`;
  const tableHint = type.startsWith("text/csv") ? csvHint : `\`claims api GET\` prints it; ${readHint}`;
  return rejectedError("format_not_available", `the service sent ${type}, not ${wanted}`, {
    hint: readFormat(headers) === "csv" ? tableHint : "leave out the format to see what the service has",
  });
}

/** @param found what the service sent in place of an entry, or of all */
export const noEntriesError = (found: string) =>
  rejectedError("response_incomplete", `expected the entries of the dataset as objects (got ${found})`, {
    hint: "print what the service sends with `claims api GET`",
  });
