import { Buffer } from "node:buffer";

/** How files begin that are no text. The offset is that of the bytes. */
const SIGNATURES: readonly (readonly [kind: string, bytes: string, offset?: number])[] = [
  ["a ZIP archive or a spreadsheet", "PK\x03\x04"],
  ["a spreadsheet of an old Office version", "\xd0\xcf\x11\xe0"],
  ["a gzip archive", "\x1f\x8b"],
  ["a bzip2 archive", "BZh"],
  ["an xz archive", "\xfd7zXZ"],
  ["a 7-Zip archive", "7z\xbc\xaf"],
  ["a Zstandard archive", "\x28\xb5\x2f\xfd"],
  ["a RAR archive", "Rar!"],
  ["a tar archive", "ustar", 257],
  ["a PDF document", "%PDF-"],
];

const PEM_BEGIN = /^\s*-----BEGIN ([A-Z0-9 ]+)-----/m;

/** Names what the beginning of a file shows that it is, if that is not text for a table; null otherwise. */
export function recognizeForeignFile(head: Uint8Array): string | null {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString("latin1");
  const found = SIGNATURES.find(([, bytes, offset = 0]) => text.startsWith(bytes, offset));
  if (found) return found[0];
  const [, label] = PEM_BEGIN.exec(text) ?? [];
  if (label !== undefined) return `a PEM file (${label})`;
  return head.includes(0) && !isUtf16(head) ? "a binary file" : null;
}

/** Whether the text is UTF-16, with a byte order mark, or with NUL bytes in every second place only. */
export function isUtf16(head: Uint8Array): boolean {
  const mark = ((head[0] ?? 0) << 8) | (head[1] ?? 0);
  if (mark === 0xfeff || mark === 0xfffe) return true;
  const places = new Set<number>();
  for (let at = head.indexOf(0); at !== -1; at = head.indexOf(0, at + 1)) places.add(at % 2);
  return places.size === 1 && !head.subarray(0, 4).every((byte) => byte === 0);
}
