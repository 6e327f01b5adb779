import { escapePointer } from "../../domain/json-pointer.ts";
import { findOperation } from "../operations/operations.ts";
import { PROBLEMS } from "../problems.ts";
import { findCodec } from "./codecs.ts";
import {
  buildRequestRecord,
  type ContractRecord,
  findContractResponse,
  listContractRecords,
  placeSuffix,
} from "./contract-records.ts";
import { type CsvForm, DATASET_ROW } from "./dataset-form.ts";
import { listPagingPlaces } from "./paging.ts";
import { formatPlace, isWithin, listConstants, overlaps, type Place, parsePlace } from "./places.ts";
import { toRequestForm } from "./requests.ts";
import { type BoundRow, bindRows, findField, nestedRecordName } from "./rows.ts";
import type { PagingForm, RecordForm, Row, ServiceForm } from "./service-form.ts";

/** What is wrong in a form, and where: a JSON pointer. */
export interface FormMistake {
  readonly at: string;
  readonly message: string;
}

/** What keeps `read` from being the inverse of `write`, and every name that the contract does not have. */
export function checkForm(form: ServiceForm): FormMistake[] {
  const mistakes: FormMistake[] = [];
  const report = (at: string, message: string) => void mistakes.push({ at, message });
  checkCodec(form.times, "time", "/times", report);
  checkCodec(form.money, "money", "/money", report);
  const records = findRecords(form, report);
  for (const name of new Set([...Object.keys(form.records ?? {}), ...records.keys()])) {
    const record = records.get(name);
    const at = `/records/${escapePointer(name)}`;
    if (record) checkRecord(form, record, name, form.records?.[name] ?? {}, at, report);
    else report(at, `the contract has no record ${name}, and no operation uses it`);
  }
  checkOperations(form, report);
  const known = new Set<string | undefined>([...Object.keys(PROBLEMS), "invalid_client"]);
  for (const code of Object.keys(form.errors?.statuses ?? {}))
    if (!known.has(code.split(" ").at(-1)) && !/^[45]\d\d$/.test(code))
      report(`/errors/statuses/${escapePointer(code)}`, `the contract has no problem and no status ${code}`);
  const codes = Object.entries(form.errors?.codes ?? {});
  const general = codes.filter(([code]) => !code.includes(" ")).map(([, theirs]) => theirs);
  checkInjective(general, "/errors/codes", report);
  return mistakes;
}

type Report = (at: string, message: string) => void;

function findRecords(form: ServiceForm, report: Report): Map<string, ContractRecord> {
  const contract = listContractRecords();
  const records = new Map(contract);
  for (const [id, { record }] of Object.entries(form.operations ?? {})) {
    const operation = findOperation(id);
    if (!operation || record === undefined) continue;
    if (!form.records?.[record]) report(`/operations/${id}/record`, `there is no record ${record}`);
    addNested(records, record, findContractResponse(operation).record);
  }
  for (const [name, record] of contract) addNested(records, name, record);
  return records;
}

function addNested(records: Map<string, ContractRecord>, name: string, record: ContractRecord): void {
  records.set(name, record);
  for (const { name: field, shape, record: inner } of record.fields.values())
    if (inner) addNested(records, `${name}.${field}${placeSuffix(shape)}`, inner);
}

function checkRecord(
  form: ServiceForm,
  record: ContractRecord,
  name: string,
  own: RecordForm,
  at: string,
  report: Report,
): void {
  for (const [path, row] of Object.entries(own.fields ?? {})) {
    const field = findField(record, path.split("."));
    const place = `${at}/fields/${escapePointer(path)}`;
    if (!field) report(place, `${name} has no field ${path}: it has ${[...record.fields.keys()].join(", ")}`);
    else checkRow(row, field, place, report);
  }
  for (const [path, { from }] of Object.entries(own.derived ?? {}))
    if (!record.fields.has(from))
      report(`${at}/derived/${escapePointer(path)}`, `${name} has no field ${from}`);
  const constants = listConstants({ ...own.constants, ...own.derived }).map(([place]) => place);
  checkPlaces(form, name, bindRows(form, record, name), constants, at, report);
}

function checkRow(row: Row, { shape, name, words: known }: BoundRow["field"], at: string, report: Report) {
  if (row === "" || (typeof row === "object" && row?.at === "")) report(at, "a field needs a place");
  if (row === null || typeof row === "string") return;
  checkCodec(row.as, shape, `${at}/as`, report);
  if (row.at !== undefined && row.header !== undefined) report(at, "a field is at a place or in a header");
  if (row.each !== undefined && shape !== "texts") report(`${at}/each`, `${name} is not a list of texts`);
  if (row.prefix !== undefined && shape !== "text") report(`${at}/prefix`, `${name} is not a text`);
  if (row.words === undefined) return;
  if (shape !== "text") report(`${at}/words`, `${name} is not a text`);
  const others = known.filter((word) => !Object.hasOwn(row.words ?? {}, word));
  checkInjective([...Object.values(row.words), ...others], `${at}/words`, report);
}

function checkInjective(words: readonly unknown[], at: string, report: Report): void {
  const seen = new Set<unknown>();
  for (const word of words) {
    if (seen.has(word)) report(at, `two words are written as ${JSON.stringify(word)}`);
    seen.add(word);
  }
}

function checkCodec(name: Parameters<typeof findCodec>[0], shape: string, at: string, report: Report): void {
  const kinds: readonly string[] = findCodec(name)?.of ?? [];
  if (name !== undefined && !kinds.includes(shape))
    report(at, `${name} writes ${kinds.join(" or ")}, and this is ${shape}`);
}

/** Two places are the same or one is inside the other: one value would overwrite the other. */
function checkPlaces(
  form: ServiceForm,
  name: string,
  rows: readonly BoundRow[],
  others: readonly Place[],
  at: string,
  report: Report,
): void {
  const places = [
    ...rows.flatMap((row) => (row.at ? [[row.path.join("."), row.at] as const] : [])),
    ...others.map((place) => [`the constant ${formatPlace(place)}`, place] as const),
  ];
  for (const [index, [one, place]] of places.entries())
    for (const [other, second] of places.slice(index + 1)) {
      const isBelow = isWithin(second, place);
      const isAround = isWithin(place, second);
      if (isBelow && isAround) report(at, `${one} and ${other} are both at ${formatPlace(place)}`);
      else if ((isBelow || isAround) && !canHold(form, name, rows, isBelow ? [one, second] : [other, place]))
        report(
          at,
          `${one} is at ${formatPlace(place)}, and ${other} at ${formatPlace(second)}: one is inside the other`,
        );
    }
}

/** A nested record may hold fields that are not its own, at places that its own fields do not have. */
function canHold(
  form: ServiceForm,
  name: string,
  rows: readonly BoundRow[],
  [outer, place]: readonly [path: string, place: Place],
): boolean {
  const row = rows.find(({ path }) => path.join(".") === outer);
  const { record, shape } = row?.field ?? {};
  if (!row?.at || !record || shape !== "record") return false;
  const rest = place.slice(row.at.length);
  const left = new Set(rows.filter(({ path }) => path[0] === outer).map(({ path }) => path[1]));
  const inner = bindRows(form, record, nestedRecordName(form, name, row));
  return inner.every(({ at, path }) => !at || left.has(path[0]) || !overlaps(at, rest));
}

function checkOperations(form: ServiceForm, report: Report): void {
  for (const [id, own] of Object.entries(form.operations ?? {})) {
    const operation = findOperation(id);
    const at = `/operations/${escapePointer(id)}`;
    if (!operation) {
      report(at, `the contract has no operation ${id}`);
      continue;
    }
    const { isPage } = findContractResponse(operation);
    const ofLists = (["items", "map", "paging"] as const).filter((name) => own[name] !== undefined);
    if (!isPage) for (const name of ofLists) report(`${at}/${name}`, `${id} does not respond with a list`);
    if (isPage && own.at !== undefined) report(`${at}/at`, `${id} responds with a list: use items`);
    if (own.csv && id !== "diligence.dataset") report(`${at}/csv`, `${id} has no CSV`);
    else if (own.csv) checkCsv(own.csv, `${at}/csv`, report);
    if (own.location?.includes("{id}") === false) report(`${at}/location`, "the id of the record is {id}");
    const query = Object.keys(operation.query?.properties ?? {});
    for (const name of Object.keys(own.query ?? {}))
      if (!query.includes(name))
        report(`${at}/query/${escapePointer(name)}`, `${id} has no parameter ${name}`);
    const request = buildRequestRecord(operation);
    if (own.request && !request) report(`${at}/request`, `${id} has no JSON body`);
    else if (own.request && request)
      checkRecord(
        toRequestForm(request, own.request),
        request,
        request.name,
        { fields: own.request },
        "",
        (_, message) => report(`${at}/request`, message),
      );
    if (own.paging) checkPaging(own.paging, own.items ?? "data", `${at}/paging`, report);
  }
}

function checkCsv({ columns = [], fields = {}, extras = {} }: CsvForm, at: string, report: Report): void {
  const form = toRequestForm(DATASET_ROW, fields);
  checkRecord(form, DATASET_ROW, DATASET_ROW.name, { fields }, at, report);
  const places = bindRows(form, DATASET_ROW).flatMap((row) => (row.at ? [row.at] : []));
  const known = [...places, ...Object.keys(extras).map(parsePlace)];
  for (const column of columns)
    if (!known.some((place) => overlaps(place, parsePlace(column))))
      report(`${at}/columns`, `${column} is neither the place of a field nor that of an extra`);
}

function checkPaging(paging: PagingForm, items: string, at: string, report: Report): void {
  const holder = parsePlace(items);
  if (paging.kind !== "link" && paging.kind !== "none" && paging.parameter === undefined)
    report(at, `${paging.kind} needs the name of its parameter`);
  for (const place of listPagingPlaces(paging))
    if (isWithin(place, holder)) report(at, `${formatPlace(place)} is inside the list of the items`);
}
