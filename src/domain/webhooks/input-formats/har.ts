import { Buffer } from "node:buffer";
import { isRecord, valueAt } from "../../json.ts";
import { headerValues, SIGNATURE_HEADER } from "../headers.ts";
import { type HeaderPair, inputError, parseJson, type ReceivedDelivery } from "./delivery.ts";

/** A request of a HAR (http://www.softwareishard.com/blog/har-12-spec/#request). */
interface HarRequest {
  /** Counted from 1. */
  readonly number: number;
  readonly request: Readonly<Record<string, unknown>>;
  readonly headers: readonly HeaderPair[];
}

/** Reads the entry of that number, or the only one with a signature, or the only one. */
export function parseHar(bytes: Buffer, shownAs: string, number: number | undefined): ReceivedDelivery {
  return readHarRequest(chooseRequest(readRequests(bytes, shownAs), shownAs, number).request);
}

/** The delivery of one `request` of a HAR. */
export function readHarRequest(request: unknown): ReceivedDelivery {
  const text = valueAt(request, "postData.text");
  // Some tools encode binary bodies as those of responses (HAR 1.2, content.encoding).
  const isBase64 = valueAt(request, "postData.encoding") === "base64";
  const body = Buffer.from(typeof text === "string" ? text : "", isBase64 ? "base64" : "utf8");
  return { headers: readHarHeaders(valueAt(request, "headers")), body };
}

function readRequests(bytes: Buffer, shownAs: string): readonly HarRequest[] {
  const entries = valueAt(parseJson(bytes, shownAs), "log.entries");
  if (!Array.isArray(entries))
    throw inputError(`${shownAs} has no log.entries`, "save it as a HAR with content");
  const requests = entries.flatMap((entry: unknown, index): HarRequest[] => {
    const request = valueAt(entry, "request");
    return isRecord(request)
      ? [{ number: index + 1, request, headers: readHarHeaders(request.headers) }]
      : [];
  });
  if (requests.length > 0) return requests;
  throw inputError(`${shownAs} has no requests`, "record the delivery, then save it as a HAR with content");
}

/** The headers of a request or a response. */
export const readHarHeaders = (list: unknown): readonly HeaderPair[] =>
  (Array.isArray(list) ? list : []).flatMap((each: unknown): HeaderPair[] => {
    const name = valueAt(each, "name");
    return typeof name === "string" ? [[name, String(valueAt(each, "value") ?? "")]] : [];
  });

function chooseRequest(requests: readonly HarRequest[], shownAs: string, number: number | undefined) {
  const signed = requests.filter(({ headers }) => headerValues(headers, SIGNATURE_HEADER).length > 0);
  const candidates =
    number !== undefined
      ? requests.filter((each) => each.number === number)
      : signed.length > 0
        ? signed
        : requests;
  const [first, second] = candidates;
  if (first && !second) return first;
  const listed = (first ? candidates : requests).map((each) => {
    // Without its query, which can hold a secret.
    const url = String(each.request.url).replace(/[?#].*$/s, "");
    return `${each.number} ${String(each.request.method)} ${url}`;
  });
  throw inputError(
    first
      ? `${shownAs} has ${candidates.length} requests that can be the delivery`
      : `${shownAs} has no entry ${number}`,
    `choose one with --entry: ${listed.slice(0, 5).join("; ")}${listed.length > 5 ? "; …" : ""}`,
  );
}
