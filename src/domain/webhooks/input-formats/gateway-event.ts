import { Buffer } from "node:buffer";
import { isRecord } from "../../json.ts";
import {
  type HeaderPair,
  headersFromJson,
  headersFromObject,
  inputError,
  parseJson,
  type ReceivedDelivery,
} from "./delivery.ts";

/** Parses the Lambda event of an API Gateway (payload format 1.0 or 2.0), a function URL or an ALB. */
export function parseGatewayEvent(bytes: Buffer, shownAs: string): ReceivedDelivery {
  const event = parseJson(bytes, shownAs);
  if (!isRecord(event) || !(isRecord(event.headers) || isRecord(event.multiValueHeaders)))
    throw inputError(
      `${shownAs} is not an API Gateway event: it has no headers`,
      "log the event of the function with JSON.stringify(event)",
    );
  const { body } = event;
  if (typeof body !== "string" && body !== null && body !== undefined)
    throw inputError(`the body in ${shownAs} is not a string`, "log the event before you parse its body");
  return { headers: readEventHeaders(event) ?? [], body: decodeEventBody(event, body ?? "") };
}

type Event = Readonly<Record<string, unknown>>;

/** Format 1.0 has all values of a header in one object, and its last value in the other. Null if there are no headers. */
export function readEventHeaders({ headers, multiValueHeaders }: Event): readonly HeaderPair[] | null {
  const all = headersFromObject(multiValueHeaders);
  return all.length > 0 ? all : headersFromJson(headers);
}

export const decodeEventBody = ({ isBase64Encoded }: Event, body: string): Buffer =>
  Buffer.from(body, isBase64Encoded === true ? "base64" : "utf8");
