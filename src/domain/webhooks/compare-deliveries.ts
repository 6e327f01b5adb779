import { type HeaderList, headerValues } from "../http-headers.ts";
import { findFirstDifference } from "./explain/first-difference.ts";
import type { ReceivedDelivery } from "./input-formats/delivery.ts";

/** Compares what was sent with what arrived: header by header, and the body up to the first different byte. */
export const compareDeliveries = (
  sent: ReceivedDelivery,
  received: ReceivedDelivery,
  secrets: readonly string[],
) => ({
  headers: compareHeaders(sent.headers, received.headers, secrets),
  body: {
    sentBytes: sent.body.length,
    receivedBytes: received.body.length,
    /** Null if every byte is the same. */
    firstDifference: describeFirstDifference(sent.body, received.body, secrets),
  },
});

/** Headers that belong to a connection: a proxy has two. */
const OF_CONNECTION = /^(host|connection|keep-alive)$/i;

/** Headers that a proxy or a log can have added, and that are credentials. */
const CREDENTIAL_NAME = /authorization|cookie|token|secret|password|api-?key/i;
const NOT_SHOWN = "[not shown]";

/** Several values are joined by commas; null without the header. */
function compareHeaders(sent: HeaderList, received: HeaderList, secrets: readonly string[]) {
  const names = new Map<string, string>();
  for (const [name] of [...sent, ...received])
    if (!names.has(name.toLowerCase())) names.set(name.toLowerCase(), name);
  return [...names.values()].flatMap((name) => {
    if (OF_CONNECTION.test(name)) return [];
    const [before, after] = [sent, received].map((headers) => {
      const values = headerValues(headers, name);
      return values.length === 0 ? null : values.join(", ");
    }) as [string | null, string | null];
    const show = (value: string | null) =>
      value !== null && (CREDENTIAL_NAME.test(name) || holdsSecret(value, secrets)) ? NOT_SHOWN : value;
    const result = nameResult(before, after);
    return [{ name, result, sent: show(before), received: show(after) }];
  });
}

function nameResult(sent: string | null, received: string | null) {
  if (sent === received) return "same";
  if (received === null) return "not_received";
  return sent === null ? "not_sent" : "different";
}

const holdsSecret = (text: string | Buffer, secrets: readonly string[]): boolean =>
  secrets.some((secret) => secret !== "" && text.includes(secret));

/** The lines show the bytes of both from shortly before it; null if a body holds a secret. */
function describeFirstDifference(sent: Buffer, received: Buffer, secrets: readonly string[]) {
  if (sent.equals(received)) return null;
  const { offset, lines } = findFirstDifference(sent, received);
  const isHidden = holdsSecret(sent, secrets) || holdsSecret(received, secrets);
  const [ofSent, ofReceived] = isHidden ? [null, null] : lines;
  return { offset, sent: ofSent, received: ofReceived };
}
