import type { Buffer } from "../buffer.ts";

/** Bytes shown before the first that differs, and in all. */
const BYTES_BEFORE = 4;
const BYTES_SHOWN = 16;

/** The offset of the first byte in which two byte strings differ; the shorter one's length where it begins the other. */
function findFirstDifference(one: Buffer, other: Buffer): number {
  const shared = Math.min(one.length, other.length);
  // A block at a time: bodies of megabytes often differ at their end alone.
  const BLOCK = 4096;
  let at = 0;
  while (at + BLOCK <= shared && one.compare(other, at, at + BLOCK, at, at + BLOCK) === 0) at += BLOCK;
  while (at < shared && one[at] === other[at]) at += 1;
  return at;
}

/**
 * Where the body at hand first differs from the one that was signed, in three lines of a terminal 80 characters wide: the bytes
 * begin shortly before the offset that the first line tells.
 */
export function describeDifference(here: Buffer, signed: Buffer): readonly string[] {
  const at = findFirstDifference(here, signed);
  const from = Math.max(0, at - BYTES_BEFORE);
  return [
    `${here.length} bytes here, ${signed.length} when it was signed; the first difference is at offset ${at}`,
    `  here    ${formatHexLine(here, from)}`,
    `  signed  ${formatHexLine(signed, from)}`,
  ];
}

function formatHexLine(bytes: Buffer, from: number): string {
  const shown = bytes.subarray(from, from + BYTES_SHOWN);
  const end = from + BYTES_SHOWN >= bytes.length ? " (end)" : "";
  const hex = [...shown].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
  const text = [...shown]
    .map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "."))
    .join("");
  return `${hex.padEnd(BYTES_SHOWN * 3 - 1)}  ${text}${end}`;
}
