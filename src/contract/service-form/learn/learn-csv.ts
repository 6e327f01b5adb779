import { DATASET_COLUMNS } from "../../../domain/diligence/dataset.ts";
import { parseTable } from "../../../domain/table.ts";
import { OPERATIONS } from "../../operations/operations.ts";
import { type CsvForm, DATASET_ROW, isNdjson } from "../dataset-form.ts";
import { formatPlace } from "../places.ts";
import type { OpenPoint, OperationForm } from "../service-form.ts";
import { describeValues } from "./common-words.ts";
import type { KnownValues } from "./known-values.ts";
import { proposeRows } from "./propose-rows.ts";
import { isIdentifier, openPoint, type Sample } from "./samples.ts";

const { id: DATASET } = OPERATIONS.diligence.dataset;

const hasDocument = ({ document }: Sample): boolean => typeof document === "object" && document !== null;

/** The responses with the document that the others are another format of. */
export function preferJson(all: readonly Sample[]): readonly Sample[] {
  const found = all.filter((sample) => sample.operation.id === DATASET && hasDocument(sample));
  const json = found.filter(({ type }) => !isNdjson(type));
  return [json, found, all].find(({ length }) => length > 0) ?? all;
}

/** How a service writes a dataset as CSV. */
export function learnCsv(all: readonly Sample[], known: KnownValues, open: OpenPoint[]): OperationForm {
  const tables = all.filter(
    ({ operation, type, body }) => operation.id === DATASET && body !== "" && !/json|html|xml/.test(type),
  );
  const [first] = tables;
  if (!first) return {};
  const { type, body } = first;
  const [head = ""] = body.split(/\r?\n/);
  const delimiter = [";", "\t", "|", ","].find((each) => head.includes(each)) ?? ",";
  const only = !all.some(hasDocument);
  const csv: CsvForm = {
    ...(only && { only }),
    ...(delimiter !== "," && { delimiter }),
    ...(/^[^\r\n]+\n/.test(body) && { eol: "lf" }),
    // What records the traffic may leave the mark out.
    ...(tables.some((table) => table.body.startsWith("\uFEFF")) && { bom: true }),
    ...learnColumns(tables, head, delimiter, known, open),
  };
  return {
    ...(Object.keys(csv).length > 0 && { csv }),
    ...(only && type !== "text/csv" && /^text\/[a-z-]+$/.test(type) && { contentType: type }),
  };
}

const MAX_ROWS = 200;

type Cells = Readonly<Record<string, string | null>>;

/** Whether the first line has names: the others have their numbers, dates or times where it has none. */
const hasHeader = (names: readonly string[], records: readonly Cells[]): boolean =>
  records.length > 1 &&
  names.every(isIdentifier) &&
  records.every((record) => Object.keys(record).join() === names.join()) &&
  names.some((name) => !/\d/.test(name) && records.every((record) => /\d/.test(record[name] ?? "")));

/** The names are in every row, as those of fields must be, and the values have the evidence of fields. */
function learnColumns(
  tables: readonly Sample[],
  head: string,
  delimiter: string,
  known: KnownValues,
  open: OpenPoint[],
): CsvForm {
  const records = tables.flatMap(({ body }): Cells[] =>
    (parseTable(body, head, [delimiter]) ?? [])
      .slice(0, MAX_ROWS)
      .map((cells) => Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, cell || null]))),
  );
  const names = Object.keys(records[0] ?? {});
  if (names.join() === DATASET_COLUMNS.join()) return {};
  const count = head.split(delimiter).length;
  if (names.length !== count || !hasHeader(names, records)) {
    open.push(openPoint(DATASET, `${count} columns whose names are not kept`, "no header is sure"));
    return {};
  }
  const proposed = proposeRows(DATASET_ROW, records, known);
  const explained = new Set(proposed.explained.map(formatPlace));
  const others = names.filter((name) => !explained.has(name));
  const extras = others.map((name) => [name, describeValues(records.map((each) => each[name]))] as const);
  const rows = Object.entries(proposed.records.get(DATASET_ROW.name) ?? {}).filter(([, row]) => row !== null);
  // The column under a name of the contract may be another one.
  const taken = [...others, ...rows.map(([, row]) => (typeof row === "string" ? row : (row?.at ?? "")))];
  const missing = taken.filter((name) => DATASET_ROW.fields.has(name)).map((name) => [name, null] as const);
  return {
    columns: names,
    fields: Object.fromEntries([...missing, ...rows]),
    extras: Object.fromEntries(extras),
  };
}
