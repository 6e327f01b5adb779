import { ALL_OPERATIONS } from "../../../../contract/operations/operations.ts";
import { CODEC_NAMES } from "../../../../contract/service-form/codecs.ts";
import {
  findContractResponse,
  listContractRecords,
} from "../../../../contract/service-form/contract-records.ts";
import {
  FORM_VERSION,
  type OperationForm,
  type RecordForm,
  type ServiceForm,
} from "../../../../contract/service-form/service-form.ts";

export { serviceForm } from "../../../../contract/service-form/service-form.ts";

const HELP = [
  "How this service writes what the contract describes. Leave out what is as in the contract: a field without a row keeps its name.",
  'A row is a place ("meta.number"), null (the service does not have the field), or { at, as, words, prefix, each, header }.',
  `as is one of ${CODEC_NAMES.join(", ")}.`,
  "words: word of the contract → word of the service. names, times and money at the top hold for every field without a row.",
  "derived: a field that another one decides: place → { from, words }, as the number of a state beside its word.",
  "An operation says where its record is (at) or its items (items, empty for a bare list; map for an object by id), its status and its paging.",
  "paging: kind is cursor, page, offset, link or none; parameter and size are query parameters; next, self, total, pages, hasMore are places; isUrl: next is a URL; isAbsolute: with the origin.",
  'location is the Location header: the path of the record with {id} in it, after {origin} if it is absolute. idempotencyKeys: "ignored" if the same key writes again.',
].join(" ");

/** A form with every operation and every record, which says nothing yet. */
export function createForm(): ServiceForm {
  const records: Record<string, RecordForm> = {};
  for (const [name, { fields }] of listContractRecords())
    records[name] = { description: `has ${[...fields.keys()].join(", ")}`, fields: {} };
  const operations: Record<string, OperationForm> = {};
  for (const operation of ALL_OPERATIONS) {
    const { id, auth, method, path, summary } = operation;
    if (auth === "client" || id === "document.openapi") continue;
    const { isPage, record } = findContractResponse(operation);
    const kind = isPage ? `a list of ${record.name} in items` : `one ${record.name} at at`;
    operations[id] = { description: `${method} ${path}: ${summary}. The response is ${kind}.` };
  }
  return {
    serviceForm: FORM_VERSION,
    description: HELP,
    records,
    operations,
    parameters: {},
    errors: {
      description:
        "at: the object or the list of errors; code, message: places in it; isText: the body is the message; statuses: problem → status; status, reason, path, requestId: places, if it has them",
    },
  };
}
