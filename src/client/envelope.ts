import { isRecord } from "../domain/json.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Members that hold the record of a response, beside a `status` of the response itself: JSend, JSON:API and their kin. */
const ENVELOPE_NAMES = ["data", "result", "response", "payload"];

/** An object with one of these is the record itself, whatever it holds. */
const ID_NAMES = ["jobId", "job_id", "scanId", "scan_id", "id"];

const hasOneOf = (fields: Fields, names: readonly string[]): boolean =>
  names.some((name) => Object.hasOwn(fields, name));

/**
 * The fields of the record in an envelope, and those around it. The `state` and `status` of an envelope are not those of the
 * record: `{"status": "success", "data": {"jobId": …, "status": "partial"}}` is a partial job.
 */
export function openEnvelope(document: Fields): Fields {
  if (hasOneOf(document, ID_NAMES)) return document;
  const inner = ENVELOPE_NAMES.map((name) => document[name]).find(isRecord);
  if (!inner) return document;
  const record = openEnvelope(inner);
  if (!hasOneOf(record, [...ID_NAMES, "state", "status"])) return { ...document, ...record };
  const { state: _, status: __, ...around } = document;
  return { ...around, ...record };
}
