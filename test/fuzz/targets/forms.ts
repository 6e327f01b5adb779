import { Buffer } from "node:buffer";
import fc, { type Arbitrary } from "fast-check";
import { createFileWithRow } from "../../support/read-entry-file.ts";
import { encodeRequest } from "../http-client.ts";
import { defineServiceTarget } from "../service.ts";
import { requireThat } from "../target.ts";
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
} from "../text.ts";

/** A part of a form. */
export interface Part {
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
export const formParts: Arbitrary<readonly Part[]> = fc
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

interface Input {
  readonly parts: readonly Part[];
  readonly changes: readonly Change[];
  /** Whether the closing boundary is missing. */
  readonly isOpen: boolean;
  /** Of the first chunk; the rest is sent in another one. */
  readonly firstChunk: number;
}

const BOUNDARY = "b";
const DELIMITERS = [
  ...["\r\n", "--b", "--", "=", '"', "\\", ";", "\0", "8bit", "\xff", "\r\n\r\n", "%22", "\r\n--b--"],
  "Content-Transfer-Encoding: base64\r\n",
];

const input: Arbitrary<Input> = fc.record({
  parts: formParts,
  changes: fewChanges(DELIMITERS, 4, 2),
  isOpen: fc.nat(9).map((digit) => digit === 0),
  firstChunk: fc.nat(2_000),
});

const TARGET = "/v1/diligence/submit";

/** 3. Multipart forms. */
export const forms = defineServiceTarget<Input>({
  name: "forms",
  arbitrary: input,
  prepare:
    (service) =>
    async ({ parts, changes, isOpen, firstChunk }) => {
      const complete = joinPieces(formBody(parts, BOUNDARY));
      const changed = applyChanges(isOpen ? complete.slice(0, complete.length - 7) : complete, changes);
      const body = Buffer.from(changed, "latin1");
      const headers = [
        ...service.credentialHeader("sandbox"),
        ["Content-Type", `multipart/form-data; boundary=${BOUNDARY}`] as const,
      ];
      const bytes = encodeRequest("POST", TARGET, headers, body);
      const response = await service
        .connection(0)
        .exchange(bytes, { firstChunk: bytes.length - body.length + firstChunk });
      requireThat(response !== null, () => "no response");
      service.checkResponse("POST", TARGET, response, "sandbox");
      const isChanged = changes.some(({ removed, insertion }) => removed > 0 || insertion !== "");
      if (isOpen && !isChanged)
        requireThat(response.status === 400, () => `a form without its end got ${response.status}`);
      if (!isOpen && !isChanged) checkUnchanged(parts, response);
      return { inputs: 1, responses: 1, accepted: response.status < 300 ? 1 : 0 };
    },
});

/** A form as a client writes it: a part with an encoding that changes bytes is refused. */
function checkUnchanged(parts: readonly Part[], { status, body }: { status: number; body: Buffer }): void {
  const names = parts.map(({ encoding }) => encoding?.trim().toLowerCase() ?? "binary");
  // What a parser reads from other headers and names, `formBody` does not know.
  if (parts.some(({ encoding, name }) => name === "" || (encoding !== null && !/^[\w -]+$/.test(encoding))))
    return;
  const isKnown = names.every((name) => KNOWN_ENCODINGS.includes(name));
  requireThat(isKnown || status >= 400, () => `an unknown encoding got ${status}`);
  if (status !== 202) {
    requireThat(!isOrdinary(parts), () => `an ordinary form got ${status}: ${body}`);
    return;
  }
  const job = JSON.parse(body.toString()) as { sellerName: string; fileBytes: number };
  const contentOf = (name: string) =>
    Buffer.from(joinPieces(parts.find((part) => part.name === name)?.content ?? []), "latin1");
  const seller = contentOf("seller_name").toString();
  requireThat(
    job.sellerName === seller,
    () => `sellerName is ${JSON.stringify(job.sellerName)}, not ${JSON.stringify(seller)}`,
  );
  requireThat(job.fileBytes === contentOf("file").length, () => `fileBytes is ${job.fileBytes}`);
}

/** Whether nothing about a form is odd but the encodings of its parts. */
const isOrdinary = (parts: readonly Part[]): boolean => {
  const [seller, flag, file] = parts;
  const text = joinPieces(seller?.content ?? []);
  return (
    parts.length === 3 &&
    seller?.name === "seller_name" &&
    /^[\x21-\x7e][\x20-\x7e]{0,99}$/.test(text) &&
    /^(true|false)$/.test(joinPieces(flag?.content ?? [])) &&
    file?.name === "file" &&
    file.type === "text/csv" &&
    joinPieces(file.content) === createFileWithRow() &&
    parts.every(({ encoding }) => encoding === null || KNOWN_ENCODINGS.includes(encoding))
  );
};
