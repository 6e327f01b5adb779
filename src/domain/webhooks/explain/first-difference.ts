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
