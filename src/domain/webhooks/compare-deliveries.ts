import { type HeaderList, headerValues } from "../http-headers.ts";
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

/** The lines show the bytes of both from shortly before it; null if a body holds a secret. */
function describeFirstDifference(sent: Buffer, received: Buffer, secrets: readonly string[]) {
  if (sent.equals(received)) return null;
  const { offset, lines } = findFirstDifference(sent, received);
  const isHidden = secrets.some(
    (secret) => secret !== "" && (sent.includes(secret) || received.includes(secret)),
  );
  const [ofSent, ofReceived] = isHidden ? [null, null] : lines;
  return { offset, sent: ofSent, received: ofReceived };
}

const BYTES_BEFORE = 4;
const BYTES_SHOWN = 16;

/** The offset of the first difference, and the bytes of both from shortly before it: a line of at most 70 characters. */
export function findFirstDifference(one: Buffer, other: Buffer) {
  // The length of the shorter one if the longer one starts with it.
  let offset = 0;
  while (offset < one.length && one[offset] === other[offset]) offset += 1;
  const from = Math.max(0, offset - BYTES_BEFORE);
  return { offset, lines: [formatHexLine(one, from), formatHexLine(other, from)] as const };
}

function formatHexLine(bytes: Buffer, from: number): string {
  const shown = [...bytes.subarray(from, from + BYTES_SHOWN)];
  const end = from + BYTES_SHOWN >= bytes.length ? " (end)" : "";
  const hex = shown.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
  const text = shown.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
  return `${hex.padEnd(BYTES_SHOWN * 3 - 1)}  ${text}${end}`;
}
