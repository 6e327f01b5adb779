import { Buffer } from "node:buffer";

const MAX_DEPTH = 16;

/**
 * The values of a file of tnetstrings (tnetstrings.info), as mitmproxy saves flows: a length, a colon, the bytes, and the
 * kind. Null for other files. Bytes that are no UTF-8 stay bytes.
 */
export function readTnetstrings(bytes: Buffer): readonly unknown[] | null {
  if (!/^\d{1,9}:\d{1,9}:/.test(bytes.toString("latin1", 0, 24))) return null;
  const values = readAll(bytes, 0);
  return values !== null && values.length > 0 ? values : null;
}

function readAll(bytes: Buffer, depth: number): unknown[] | null {
  const values: unknown[] = [];
  for (let at = 0; at < bytes.length; ) {
    const colon = bytes.indexOf(":", at);
    const length = bytes.toString("latin1", at, Math.min(colon, at + 10));
    if (colon < 0 || !/^\d+$/.test(length)) return null;
    const end = colon + 1 + Number(length);
    if (end >= bytes.length || depth > MAX_DEPTH) return null;
    const value = readValue(bytes.subarray(colon + 1, end), String.fromCharCode(bytes[end] ?? 0), depth);
    if (value === undefined) return null;
    values.push(value);
    at = end + 1;
  }
  return values;
}

/** Undefined for a kind that does not exist. */
function readValue(bytes: Buffer, kind: string, depth: number): unknown {
  const text = bytes.toString();
  switch (kind) {
    case ",":
    case ";":
      return Buffer.from(text).equals(bytes) ? text : bytes.toJSON();
    case "#":
    case "^":
      return Number(text);
    case "!":
      return text === "true";
    case "~":
      return null;
    case "]":
      return readAll(bytes, depth + 1) ?? undefined;
    case "}": {
      const all = readAll(bytes, depth + 1);
      if (all === null || all.length % 2 > 0) return undefined;
      return Object.fromEntries(
        all.flatMap((name, index) => (index % 2 === 0 ? [[String(name), all[index + 1]]] : [])),
      );
    }
    default:
      return undefined;
  }
}
