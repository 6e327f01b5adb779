import type { Buffer } from "../buffer.ts";

const BYTES_BEFORE = 4;
const BYTES_SHOWN = 16;

/** Bodies of megabytes often differ only at their end, so whole blocks are compared first. */
const BLOCK = 4096;

/** The length of the shorter one if the longer one starts with it. */
function findOffset(one: Buffer, other: Buffer): number {
  const shared = Math.min(one.length, other.length);
  let at = 0;
  while (at + BLOCK <= shared && one.compare(other, at, at + BLOCK, at, at + BLOCK) === 0) at += BLOCK;
  while (at < shared && one[at] === other[at]) at += 1;
  return at;
}

/** The offset of the first difference, and the bytes of both from shortly before it: a line of at most 70 characters. */
export function findFirstDifference(one: Buffer, other: Buffer) {
  const offset = findOffset(one, other);
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
