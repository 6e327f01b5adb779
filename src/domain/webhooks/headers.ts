/** The headers of a delivery (interface §6). Names of headers have no case (RFC 9110 §5.1). */
export const EVENT_HEADER = "X-Service-Event";
export const TIMESTAMP_HEADER = "X-Service-Timestamp";
export const SIGNATURE_HEADER = "X-Service-Signature";

/** Headers as programs have them: Node's and Lambda's records, `Headers` of the Fetch API, lists of pairs. */
export type DeliveryHeaders =
  | Iterable<readonly [name: string, value: string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Every value that a header was sent with, in order. */
export function headerValues(headers: DeliveryHeaders, name: string): readonly string[] {
  const wanted = name.toLowerCase();
  const pairs = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  return pairs
    .filter(([each]) => each.toLowerCase() === wanted)
    .flatMap(([, value]) => value ?? [])
    .map(String);
}
