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

const PEM_BEGIN = /^[ \t]*-----BEGIN ([A-Z0-9 ]+)-----/m;

/** Names the format of a file that is no text, or a PEM file, by its first bytes; null for any other file. */
export function recognizeForeignFile(head: Uint8Array): string | null {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString("latin1");
  const found = SIGNATURES.find(([, bytes, offset = 0]) => text.startsWith(bytes, offset));
  if (found) return found[0];
  const [, label] = PEM_BEGIN.exec(text) ?? [];
  return label === undefined ? null : `a PEM file (${label})`;
}

const PRIVATE_KEY_BEGIN = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY/;

/** @param head text may stand before the key */
export const isPrivateKey = (head: Uint8Array): boolean =>
  PRIVATE_KEY_BEGIN.test(Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString("latin1"));

/** Enough to recognize other files, also below blank lines, a text before a private key, and the title of a web page. */
export const HEAD_BYTES = 65_536;

/** The title of a web page, at most so many characters of it. */
const TITLE = /<title[^>]*>\s*([^<]{1,80})/i;

/** Names the format of a text that is no table, by its first character; null for any other text. */
export function recognizeMarkup(start: string): string | null {
  const text = start.trimStart();
  if (/^[{[]/.test(text)) return "JSON";
  if (!text.startsWith("<")) return null;
  if (/urn:schemas-microsoft-com:office:spreadsheet/.test(text)) return "an Excel XML file";
  if (/^<\?xml/.test(text) && !/<html/i.test(text)) return "an XML file";
  const [, title] = TITLE.exec(text) ?? [];
  if (title !== undefined) return `a web page (HTML) with the title "${title.trim()}"`;
  return /<table/i.test(text)
    ? "a web page (HTML) with a table, as some programs save .xls"
    : "a web page (HTML)";
}

/** Names what a file is that is no table of text; null for a table. */
export function recognizeOtherFile(head: Uint8Array): string | null {
  const start = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString("utf8");
  return recognizeForeignFile(head) ?? recognizeMarkup(start);
}

/** In a table, at least every second character is ASCII, also with names in other scripts. */
const MIN_NUL_SHARE_OF_UTF16 = 1 / 4;

/** The byte order mark of UTF-32 in little endian begins like that of UTF-16. */
const UTF32_MARKS: readonly string[] = ["fffe0000", "0000feff"];

/** The name of the UTF-16 of a text: it has a byte order mark, or NUL bytes in many places, all even or all odd. Else null. */
export function recognizeUtf16(head: Uint8Array): "UTF-16" | "UTF-16BE" | "UTF-16LE" | "UTF-32" | null {
  if (UTF32_MARKS.includes(Buffer.from(head.subarray(0, 4)).toString("hex"))) return "UTF-32";
  const mark = ((head[0] ?? 0) << 8) | (head[1] ?? 0);
  if (mark === 0xfeff || mark === 0xfffe) return "UTF-16";
  const counts: [even: number, odd: number] = [0, 0];
  for (let at = head.indexOf(0); at !== -1; at = head.indexOf(0, at + 1)) counts[at % 2 === 0 ? 0 : 1] += 1;
  const [even, odd] = counts;
  if (Math.min(even, odd) > 0 || even + odd < head.length * MIN_NUL_SHARE_OF_UTF16) return null;
  return even > 0 ? "UTF-16BE" : "UTF-16LE";
}

export const isUtf16 = (head: Uint8Array): boolean => recognizeUtf16(head) !== null;
