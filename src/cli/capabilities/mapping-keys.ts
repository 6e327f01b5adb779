import { ERROR_CLASSES, TIME_FORMATS } from "../../contract/mapping/mapping.ts";
import { listResources } from "../../contract/mapping/subjects.ts";
import { JOB_STATES } from "../../domain/diligence/states.ts";

const NOT_DOCUMENTS: readonly string[] = ["job", "submitted"];

const names = (isList: boolean): string =>
  listResources()
    .filter((resource) => resource.isList === isList && !NOT_DOCUMENTS.includes(resource.name))
    .map(({ name }) => name)
    .join(", ");

/** The keys of a mapping with what each takes. RECORD, LIST, FIELD and NAME stand for names of the contract. */
export const listMappingKeys = (): readonly (readonly [key: string, value: string])[] => [
  ["submitted.id", "the job id in the response to submit: a path, or header:Location"],
  ["submitted.FIELD", "a path in the response to submit"],
  ["submitted.body, resume.body", '"none": that response has no body (for the sandbox)'],
  ["job.id, job.state", "paths in the response to status"],
  ["job.FIELD", "a path in the response to status, as job.progress.rowsTotal"],
  ["job.words, scan.words", `{"WORD": "${JOB_STATES.join("|")}"}: what a word of the service means`],
  [names(false), "the path of that record in its response"],
  ["RECORD.FIELD", "a path from the top of the response, as report.rf8Review"],
  ["dataset.csv", '{"delimiter": ";", "decimal": ","}: the dataset is CSV alone'],
  [names(true), "the path of the items; {} after it if they are an object by id"],
  ["LIST.FIELD", 'a path inside an item, as clients.id; "{}": the id is the key of the item'],
  [
    "LIST.FIELD of an amount",
    '{"path": "fee", "format": "decimal"} (or "decimal-comma"), if it is no integer of cents',
  ],
  ["paging, LIST.paging", '"link": Link header (RFC 8288); "none": one page has all'],
  ["", '{"next": PATH}: a URL; {"next": PATH, "parameter": NAME}: a value to pass on'],
  ["", '{"page": NAME, "first": 0 or 1} or {"offset": NAME}, with one of "more", "pages", "total"'],
  ["error.code, error.message", 'paths in an error; "" is the text of the body'],
  ["error.words", `{"STATUS CODE" or "CODE" or "STATUS": "${ERROR_CLASSES.join("|")}"}`],
  ["query.NAME, body.NAME", "the service's name of a query parameter, or the place of a field of a body"],
  ["times", `${TIME_FORMATS.join(", ")}: for the sandbox`],
  ["description", "text"],
];
