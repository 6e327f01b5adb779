import { type HeaderList, headerValues } from "../http-headers.ts";
import { findFirstDifference } from "./explain/first-difference.ts";
import type { ReceivedDelivery } from "./input-formats/delivery.ts";

/** Compares what was sent with what arrived: the headers that differ, and the body up to the first different byte. */
export const compareDeliveries = (
  sent: ReceivedDelivery,
  received: ReceivedDelivery,
  secrets: readonly string[],
) => ({
  headers: compareHeaders(sent.headers, received.headers),
  body: {
    sentBytes: sent.body.length,
    receivedBytes: received.body.length,
    /** Null if every byte is the same. */
    firstDifference: describeFirstDifference(sent.body, received.body, secrets),
  },
});

/** Headers that belong to a connection: a proxy has two. */
const OF_CONNECTION = /^(host|connection|keep-alive)$/i;

/** Without their values, which can be credentials. */
function compareHeaders(sent: HeaderList, received: HeaderList) {
  const names = new Map([...sent, ...received].map(([name]) => [name.toLowerCase(), name]));
  return [...names.values()].flatMap((name) => {
    const [before, after] = [sent, received].map((headers) => headerValues(headers, name));
    if (OF_CONNECTION.test(name) || before?.join() === after?.join()) return [];
    if (after?.length === 0) return [{ name, result: "not_received" }];
    return [{ name, result: before?.length === 0 ? "not_sent" : "different" }];
  });
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
