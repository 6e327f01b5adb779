import { DATASET_COLUMNS, type DatasetRow, formatDatasetCell } from "../../domain/diligence/dataset.ts";
import { parseJsonText } from "../../domain/json.ts";
import { quoteDelimitedCell } from "../../domain/text.ts";
import type { Operation } from "../operations/operation.ts";
import { OPERATIONS } from "../operations/operations.ts";
import { type ContractRecord, findContractResponse } from "./contract-records.ts";
import { withExtras } from "./extras.ts";
import { createRecordMapper } from "./map-record.ts";
import { type Place, parsePlace, valueAtPlace } from "./places.ts";
import { toRequestForm } from "./requests.ts";
import type { OperationForm } from "./service-form.ts";

export type CsvForm = NonNullable<OperationForm["csv"]>;

export const DATASET_ROW = findContractResponse(OPERATIONS.diligence.dataset).record.fields.get("rows")
  ?.record as ContractRecord;

export const isNdjson = (type: string | undefined): boolean => type?.includes("ndjson") ?? false;

/** A document as JSON; lines of it are the rows of a dataset. Undefined if it is not JSON. */
export function parseDocument({ id }: Operation, type: string | undefined, body: string): unknown {
  if (id !== OPERATIONS.diligence.dataset.id || !isNdjson(type)) return parseJsonText(body);
  const lines = body.split("\n").filter((line) => line.trim() !== "");
  const rows = lines.map(parseJsonText);
  return rows.includes(undefined) ? undefined : { rows };
}

/** Writes a dataset as the CSV of a service: its own columns, or those of the contract. */
export function createCsvWriter({ delimiter = ",", eol, bom, columns, fields = {}, extras }: CsvForm) {
  const end = eol === "lf" ? "\n" : "\r\n";
  const writeLine = (cells: readonly string[]): string =>
    cells.map((cell) => quoteDelimitedCell(cell, delimiter)).join(delimiter) + end;
  const places = (columns ?? DATASET_COLUMNS).map(parsePlace);
  const mapper = createRecordMapper(toRequestForm(DATASET_ROW, fields), DATASET_ROW);
  const examples = withExtras({}, extras);
  return {
    header: (bom ? "\uFEFF" : "") + writeLine(places.map((place) => place.join("."))),
    writeRow(row: DatasetRow): string {
      const record = columns ? mapper.write(row) : row;
      const valueAt = (place: Place) => valueAtPlace(record, place) ?? valueAtPlace(examples, place);
      return writeLine(places.map((place) => formatDatasetCell(valueAt(place))));
    },
  };
}
