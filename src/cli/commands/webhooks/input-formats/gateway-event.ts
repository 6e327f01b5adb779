import { Buffer } from "node:buffer";
import { isRecord } from "../../../../domain/json.ts";
import { type HeaderPair, inputError, parseJson, type ReceivedDelivery } from "./delivery.ts";
import { headersFromObject } from "./headers.ts";

/** The event that a Lambda function gets from API Gateway (payload format 1.0 or 2.0), a function URL or an ALB. */
export function parseGatewayEvent(bytes: Buffer, shownAs: string): ReceivedDelivery {
  const event = parseJson(bytes, shownAs);
  if (!isRecord(event) || !(isRecord(event.headers) || isRecord(event.multiValueHeaders)))
    throw inputError(
      `${shownAs} is no API gateway event: it has no headers`,
      "log the event that the function gets, with JSON.stringify(event)",
    );
  const { body } = event;
  if (typeof body !== "string" && body !== null && body !== undefined)
    throw inputError(
      `the body in ${shownAs} is not a string`,
      "log the event as it comes, before its body is parsed",
    );
  return {
    headers: readHeaders(event),
    body: Buffer.from(body ?? "", event.isBase64Encoded === true ? "base64" : "utf8"),
  };
}

/** Format 1.0 has every value in one record, and the last of each in the other. */
function readHeaders({
  headers,
  multiValueHeaders,
}: Readonly<Record<string, unknown>>): readonly HeaderPair[] {
  const many = headersFromObject(multiValueHeaders) ?? [];
  return many.length > 0 ? many : (headersFromObject(headers) ?? []);
}
