/** The headers of a delivery (interface §6). Names of headers have no case (RFC 9110 §5.1). */
export const EVENT_HEADER = "X-Service-Event";
export const TIMESTAMP_HEADER = "X-Service-Timestamp";
export const SIGNATURE_HEADER = "X-Service-Signature";

/** Headers as programs have them: Node's and Lambda's records, `Headers` of the Fetch API, lists of pairs. */
export type DeliveryHeaders =
  | Iterable<readonly [name: string, value: string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Headers in one form, which can be read more often than an iterator. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

// Loops: half of the time of a verification would go into flattening lists of two headers.
export function listHeaders(headers: DeliveryHeaders): HeaderList {
  const list: [string, string][] = [];
  for (const [name, value] of Symbol.iterator in headers ? headers : Object.entries(headers)) {
    if (Array.isArray(value)) for (const each of value) list.push([name, String(each)]);
    else if (value !== undefined && value !== null) list.push([name, String(value)]);
  }
  return list;
}

/** Node's flat list of raw headers, names and values in turn, as pairs: in the order and case in which they came. */
export const pairRawHeaders = (raw: readonly string[]): HeaderList =>
  raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""] as const] : []));

/** Every value that a header was sent with, in order. */
export function headerValues(headers: HeaderList, name: string): readonly string[] {
  const lowerName = name.toLowerCase();
  const values: string[] = [];
  for (const [key, value] of headers) if (key.toLowerCase() === lowerName) values.push(value);
  return values;
}
