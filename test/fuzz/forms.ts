import { Buffer } from "node:buffer";
import fc, { type Arbitrary } from "fast-check";
import { createFileWithRow } from "../support/read-entry-file.ts";
import {
  applyChanges,
  type Change,
  fewChanges,
  hostileText,
  joinPieces,
  latin1,
  mostly,
  type Pieces,
  repetition,
} from "./text.ts";

/** A part of a form. */
interface Part {
  readonly name: string;
  readonly fileName: string | null;
  readonly type: string | null;
  /** Content-Transfer-Encoding; null for none. */
  readonly encoding: string | null;
  /** Latin-1, which stands for bytes. */
  readonly content: Pieces;
}

const KNOWN_ENCODINGS = ["7bit", "8bit", "binary"];

const encoding = mostly(
  fc.constantFrom(null, ...KNOWN_ENCODINGS),
  fc.constantFrom("8BIT", " Base64 ", "quoted-printable", "x-unknown", "gzip", "utf-8", ""),
  4,
);

const toLatin1 = (text: string): string => Buffer.from(text).toString("latin1");

const sellerName = mostly(
  fc.constantFrom("Acme", "M\u00fcller & S\u00f6hne", "Harbor & Pine Trading, LLC"),
  hostileText,
  4,
);

const textPart = (name: string, value: Arbitrary<string>): Arbitrary<Part> =>
  fc.record({
    name: fc.constant(name),
    fileName: fc.constant(null),
    type: mostly(fc.constant(null), fc.constantFrom("text/plain", "text/plain; charset=latin1"), 8),
    encoding,
    content: value.map((text): Pieces => [toLatin1(text)]),
  });

const filePart: Arbitrary<Part> = fc.record({
  name: fc.constant("file"),
  fileName: mostly(fc.constant("a.csv"), hostileText.map(toLatin1), 6),
  type: mostly(
    fc.constant("text/csv"),
    fc.constantFrom(null, "text/plain", "TEXT/CSV; charset=utf-8", "a/b;;;"),
  ),
  encoding,
  content: fc.oneof(
    { weight: 4, arbitrary: fc.constant<Pieces>([createFileWithRow()]) },
    { weight: 2, arbitrary: latin1.map((text): Pieces => [text]) },
    {
      weight: 1,
      arbitrary: fc.array(repetition(["\r\n", "a,b\n", "--", "\0", "=", " ", '"'], 50_000), { maxLength: 3 }),
    },
  ),
});

const oddPart: Arbitrary<Part> = fc.record({
  name: fc.oneof(hostileText.map(toLatin1), fc.constantFrom("seller_name", "file", "__proto__", "")),
  fileName: fc.option(hostileText.map(toLatin1)),
  type: fc.option(hostileText.map(toLatin1)),
  encoding,
  content: latin1.map((text): Pieces => [text]),
});

/** The parts of a submission, mostly complete. */
const formParts: Arbitrary<readonly Part[]> = fc
  .tuple(
    fc.tuple(
      textPart("seller_name", sellerName),
      textPart("requires_protest_documentation", fc.constantFrom("true", "true", "false", "TRUE")),
      filePart,
    ),
    fc.array(oddPart, { maxLength: 2 }),
    fc.nat(7),
    fc.nat(11),
  )
  .map(([parts, more, place, shape]) => {
    if (shape > 1) return parts;
    return shape === 0 ? parts.toSpliced(place % 3, 1) : parts.toSpliced(place % 4, 0, ...more);
  });

/** The body of a form, as Latin-1. */
export const formBody = (parts: readonly Part[], boundary: string): Pieces => [
  ...parts.flatMap(({ name, fileName, type, encoding, content }): Pieces => {
    const file = fileName === null ? "" : `; filename="${quote(fileName)}"`;
    const headers = [
      `Content-Disposition: form-data; name="${quote(name)}"${file}`,
      ...(type === null ? [] : [`Content-Type: ${cleanHeader(type)}`]),
      ...(encoding === null ? [] : [`Content-Transfer-Encoding: ${cleanHeader(encoding)}`]),
    ];
    return [`--${boundary}\r\n${headers.join("\r\n")}\r\n\r\n`, ...content, "\r\n"];
  }),
  `--${boundary}--\r\n`,
];

const cleanHeader = (text: string): string => text.replace(/[\r\n\0]/g, "");
const quote = (text: string): string => cleanHeader(text).replaceAll("\\", "").replaceAll('"', "%22");

/** A multipart form, sometimes damaged. */
export interface Form {
  readonly parts: readonly Part[];
  readonly changes: readonly Change[];
}

const DELIMITERS = [
  ...["\r\n", "--b", "--", "=", '"', "\\", ";", "\0", "8bit", "\xff", "\r\n\r\n", "%22", "\r\n--b--"],
  "Content-Transfer-Encoding: base64\r\n",
];

export const form: Arbitrary<Form> = fc.record({ parts: formParts, changes: fewChanges(DELIMITERS, 4, 2) });

/** The bytes of a form. */
export const encodeForm = ({ parts, changes }: Form, boundary: string): Buffer =>
  Buffer.from(applyChanges(joinPieces(formBody(parts, boundary)), changes), "latin1");
