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

export function headerList(headers: DeliveryHeaders): HeaderList {
  const pairs = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  return pairs.flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, String(each)]),
  );
}

/** Every value that a header was sent with, in order. */
export function headerValues(headers: HeaderList, name: string): readonly string[] {
  const wanted = name.toLowerCase();
  return headers.flatMap(([each, value]) => (each.toLowerCase() === wanted ? [value] : []));
}
