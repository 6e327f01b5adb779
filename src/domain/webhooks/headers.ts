import type { HeaderList } from "../http-headers.ts";

/** The headers of a delivery (interface §6). Header names are case-insensitive (RFC 9110 §5.1). */
export const EVENT_HEADER = "X-Service-Event";
export const TIMESTAMP_HEADER = "X-Service-Timestamp";
export const SIGNATURE_HEADER = "X-Service-Signature";

/** Any form of headers: the records of Node and Lambda, `Headers` of the Fetch API, lists of pairs. */
export type DeliveryHeaders =
  | Iterable<readonly [name: string, value: string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

// Plain loops without copies: they take a good part of the time of a verification.
/** @throws TypeError for what is not an object, and for a flat list */
export function listHeaders(headers: DeliveryHeaders): HeaderList {
  if (typeof headers !== "object" || headers === null)
    throw new TypeError("headers must be an object, a list of pairs, or Headers");
  const list: HeaderList[number][] = [];
  for (const pair of Symbol.iterator in headers ? headers : Object.entries(headers)) {
    // What Node gives as rawHeaders.
    if (typeof pair === "string") throw new TypeError("headers is a flat list: give pairs or req.headers");
    const [name, value] = pair;
    if (typeof value === "string") list.push(pair as HeaderList[number]);
    else if (Array.isArray(value)) for (const each of value) list.push([name, String(each)]);
    else if (value !== undefined && value !== null) list.push([name, String(value)]);
  }
  return list;
}
