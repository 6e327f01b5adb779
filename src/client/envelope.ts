import { type Fields, isRecord } from "../domain/json.ts";

/** Members that hold the record of a response, beside a `status` of the response itself: JSend, JSON:API and their kin. */
const ENVELOPE_NAMES = ["data", "result", "response", "payload"];

/** An object with one of these is the record itself, whatever it holds. */
const ID_NAMES = ["jobId", "job_id", "scanId", "scan_id", "id"];

const STATE_NAMES = ["state", "status"];

const hasOneOf = (fields: Fields, names: readonly string[]): boolean =>
  names.some((name) => Object.hasOwn(fields, name));

/** Beside a state, the only object (or list of one) that has an id and a state: `{"status": "ok", "item": {"id": …, "status": …}}`. */
function findOnlyRecord(document: Fields): Fields | undefined {
  if (!hasOneOf(document, STATE_NAMES)) return undefined;
  const records = Object.values(document)
    .map((value) => (Array.isArray(value) && value.length === 1 ? value[0] : value))
    .filter((value) => isRecord(value) && hasOneOf(value, ID_NAMES) && hasOneOf(value, STATE_NAMES));
  return records.length === 1 ? records[0] : undefined;
}

/**
 * The fields of the record in an envelope, and those around it. The `state` and `status` of an envelope are not those of the
 * record: `{"status": "success", "data": {"jobId": …, "status": "partial"}}` is a partial job.
 */
export function openEnvelope(document: Fields): Fields {
  if (hasOneOf(document, ID_NAMES)) return document;
  const inner = ENVELOPE_NAMES.map((name) => document[name]).find(isRecord) ?? findOnlyRecord(document);
  if (!inner) return document;
  const record = openEnvelope(inner);
  if (!hasOneOf(record, [...ID_NAMES, ...STATE_NAMES])) return { ...document, ...record };
  const { state: _, status: __, ...around } = document;
  return { ...around, ...record };
}
