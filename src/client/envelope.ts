import { type Fields, isRecord } from "../domain/json.ts";

/** Members that hold the record of a response, beside a `status` of the response itself: JSend, JSON:API and their kin. */
const ENVELOPE_NAMES = ["data", "result", "response", "payload"];

/** An object with one of these is the record itself, whatever it holds. */
const ID_NAMES = ["jobId", "job_id", "scanId", "scan_id", "id"];

const STATE_NAMES = ["state", "status"];

const hasOneOf = (fields: Fields, names: readonly string[]): boolean =>
  names.some((name) => Object.hasOwn(fields, name));

/** The name of the only object (or list of one) that has an id and a state: `{"status": "ok", "item": {"id": …, "status": …}}`. */
function findNameOfOnlyRecord(document: Fields): string | undefined {
  if (!hasOneOf(document, STATE_NAMES)) return undefined;
  const names = Object.keys(document).filter((name) => {
    const record = readRecord(document[name]);
    return record && hasOneOf(record, ID_NAMES) && hasOneOf(record, STATE_NAMES);
  });
  return names.length === 1 ? names[0] : undefined;
}

/** An object, or the only one of a list. */
function readRecord(value: unknown): Fields | undefined {
  const record: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return isRecord(record) ? record : undefined;
}

/**
 * The fields of the record in an envelope, and those around it. The `state` and `status` of an envelope are not those of the
 * record: `{"status": "success", "data": {"jobId": …, "status": "partial"}}` is a partial job.
 */
export function openEnvelope(document: Fields): Fields {
  if (hasOneOf(document, ID_NAMES)) return document;
  const name = ENVELOPE_NAMES.find((each) => isRecord(document[each])) ?? findNameOfOnlyRecord(document);
  if (name === undefined) return document;
  const { [name]: inner, ...beside } = document;
  const record = openEnvelope(readRecord(inner) ?? {});
  if (!hasOneOf(record, [...ID_NAMES, ...STATE_NAMES])) return { ...beside, ...record };
  const { state: _, status: __, ...around } = beside;
  return { ...around, ...record };
}
