import { createHash } from "node:crypto";
import { isRecord } from "../../json.ts";
import { Buffer } from "../buffer.ts";
import { type BodyFault, fault, MAX_PAIRED_COST, STAGE, type Undo, whereText } from "./body-fault.ts";
import { CHARSETS } from "./charsets.ts";
import { CONSTANT_TEXTS } from "./constant-texts.ts";
import { orNull } from "./encodings.ts";

/** How a language prints a parsed value in text. */
interface Dump {
  readonly string: (text: string) => string;
  readonly words: readonly [isNull: string, isTrue: string, isFalse: string];
  readonly list: readonly [open: string, separator: string, close: string];
  readonly record: readonly [open: string, colon: string, separator: string, close: string];
  readonly isSorted?: boolean;
}

const inDoubleQuotes = (text: string): string => JSON.stringify(text);
const inSingleQuotes = (text: string): string =>
  text.includes("'") && !text.includes('"')
    ? `"${text.replace(/\\/g, "\\\\")}"`
    : `'${text.replace(/[\\']/g, "\\$&").replace(/\n/g, "\\n").replace(/\r/g, "\\r").replace(/\t/g, "\\t")}'`;

/** The language, how it prints, and the names of keys. */
// biome-ignore format: a table, one row a line
const DUMPS: readonly (readonly [language: string, dump: Dump, key: (text: string) => string])[] = [
  ["Python prints a dict", { string: inSingleQuotes, words: ["None", "True", "False"], list: ["[", ", ", "]"], record: ["{", ": ", ", ", "}"], }, inSingleQuotes],
  ["Ruby prints a hash", { string: inDoubleQuotes, words: ["nil", "true", "false"], list: ["[", ", ", "]"], record: ["{", "=>", ", ", "}"], }, inDoubleQuotes],
  ["Ruby 3.4 prints a hash", { string: inDoubleQuotes, words: ["nil", "true", "false"], list: ["[", ", ", "]"], record: ["{", " => ", ", ", "}"], }, inDoubleQuotes],
  ["Go prints a map", { string: String, words: ["<nil>", "true", "false"], list: ["[", " ", "]"], record: ["map[", ":", " ", "]"], isSorted: true, }, String],
  ["Java prints a map", { string: String, words: ["null", "true", "false"], list: ["[", ", ", "]"], record: ["{", "=", ", ", "}"], }, String],
];

const MAX_DEPTH = 50;

function printDump(value: unknown, dump: Dump, key: (text: string) => string, depth = 0): string {
  if (depth > MAX_DEPTH) return "";
  if (typeof value === "string") return dump.string(value);
  if (value === null) return dump.words[0];
  if (typeof value === "boolean") return value ? dump.words[1] : dump.words[2];
  const print = (each: unknown) => printDump(each, dump, key, depth + 1);
  if (Array.isArray(value)) return `${dump.list[0]}${value.map(print).join(dump.list[1])}${dump.list[2]}`;
  if (!isRecord(value)) return String(value);
  const [open, colon, separator, close] = dump.record;
  const names = Object.keys(value);
  const fields = (dump.isSorted ? names.sort() : names).map(
    (name) => `${key(name)}${colon}${print(value[name])}`,
  );
  return `${open}${fields.join(separator)}${close}`;
}

const COST = MAX_PAIRED_COST + 1;
const dumped = (description: string, undo: Undo): BodyFault =>
  fault("body.dump", STAGE.encode, COST, description, undo, 20);
const ofReceiver = (description: string, print: (text: string) => string): BodyFault =>
  dumped(description, ({ text }, { isComputed }) => (isComputed && text !== null ? print(text) : null));
const hashed = (algorithm: string, encoding: "hex" | "base64"): BodyFault =>
  fault(
    "base.different",
    STAGE.encode,
    COST,
    `the ${algorithm.toUpperCase()} of the body in ${encoding}, in place of the body`,
    ({ bytes }) => createHash(algorithm).update(bytes).digest(encoding),
  );

/** A body that is read once into a buffer ends there. */
const BUFFER_SIZES = Array.from({ length: 11 }, (_, index) => 64 << index);

/** Characters beyond ASCII, replaced or left out. */
const toAscii = (replacement: string) =>
  whereText(/[^\0-\x7f]/, (text) => text.replace(/[^\0-\x7f]/gu, replacement));

/** What a program signs in place of the body: of a value that was parsed, or of bytes that became text. */
// biome-ignore format: a table, one row a line
export const DUMP_FAULTS: readonly BodyFault[] = [
  ...["sha256", "sha1", "md5"].flatMap((algorithm) => [hashed(algorithm, "hex"), hashed(algorithm, "base64")]),
  ...CONSTANT_TEXTS.filter(([text]) => text !== "").map(([text, description]) => fault("body.constant", STAGE.encode, COST, `${description}, in place of the body`, () => text)),
  ...DUMPS.map(([language, dump, key]) => dumped(`the body as ${language}`, ({ json }) => typeof json?.value === "object" ? printDump(json.value, dump, key) : null)),
  dumped("the numbers of the bytes, as Go prints them", ({ bytes }) => `[${bytes.join(" ")}]`),
  dumped("the numbers of the bytes with commas, as JavaScript prints them", ({ bytes }) => bytes.join(",")),
  dumped("the numbers of the bytes, as Java and Python print a list", ({ bytes }) => `[${bytes.join(", ")}]`),
  dumped("the bytes as Python prints them, b'…'", ({ bytes }) => printBytes(bytes)),
  dumped("the Buffer as JSON, as Node prints it", ({ bytes }) => JSON.stringify({ type: "Buffer", data: [...bytes] })),
  dumped("the body with ? for the bytes beyond ASCII", ({ bytes, text }) => text?.length === bytes.length ? null : Buffer.from(bytes.map((byte) => (byte < 0x80 ? byte : 0x3f)))),
  dumped("the body with U+FFFD for the bytes beyond ASCII", ({ bytes, text }) => text?.length === bytes.length ? null : bytes.toString("latin1").replace(/[^\0-\x7f]/g, "\ufffd")),
  fault("body.replaced_characters", STAGE.encode, COST, "the body with ? for the characters beyond ASCII", toAscii("?")),
  fault("body.replaced_characters", STAGE.encode, COST, "the body without the characters beyond ASCII", toAscii("")),
  fault("body.charset", STAGE.encode, COST, "the body in Latin-1", ({ text, bytes }) => text === null || text.length === bytes.length || /[^\0-\xff]/.test(text) ? null : Buffer.from(text, "latin1")),
  ...CHARSETS.slice(0, 2).map((charset) => fault("body.charset", STAGE.encode, COST, `the body that was read as ${charset}`, ({ bytes, text }) => text?.length === bytes.length ? null : orNull(() => new TextDecoder(charset).decode(bytes)))),
  fault("body.fields_dropped", STAGE.encode, COST, "the body without fields that are null, as JSON", ({ json }) => isRecord(json?.value) && json.stringify() !== null ? JSON.stringify(json.value, (_, value) => (value === null ? undefined : value)) : null),
  // Of JSON, body parsers make a name without a value, up to the first = or &.
  ofReceiver("the body that was parsed as a form, as JSON", (text) => JSON.stringify(Object.fromEntries(new URLSearchParams(text)))),
  ofReceiver("the body that was parsed as a form, as a form", (text) => String(new URLSearchParams(text))),
  fault("body.base64", STAGE.encode, COST, "the body decoded from base64, although it is not base64", ({ text }, { isComputed }) => (isComputed && text !== null ? Buffer.from(text, "base64") : null)),
  ...BUFFER_SIZES.map((size) => fault("body.truncated", STAGE.encode, COST, `the first ${size} bytes of the body, as many as a buffer has`, ({ bytes }, { isComputed }) => (isComputed && bytes.length > size ? bytes.subarray(0, size) : null))),
  ...BUFFER_SIZES.map((size) => fault("body.nul_padding", STAGE.encode, COST, `the body with NULs after it, up to the ${size} bytes of a buffer`, ({ bytes }, { isComputed }) => (isComputed && bytes.length < size ? Buffer.concat([bytes, Buffer.alloc(size - bytes.length)]) : null))),
  fault("body.line_endings", STAGE.encode, COST, "the lines of the body, joined without their line ends", ({ text }, { isComputed }) => (isComputed && text?.includes("\n") ? text.replace(/\r?\n/g, "") : null)),
  // Of a delivery, white space in a text would be taken for a fault of printing.
  ofReceiver("the body without any white space", (text) => text.replace(/\s+/g, "")),
];

const NAMED_ESCAPES: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** As Python prints bytes, in the quotes that need no escapes if there are such. */
function printBytes(bytes: Buffer): string {
  const text = bytes.toString("latin1");
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text.replace(quote === "'" ? /[\\']/g : /\\/g, "\\$&").replace(/[^ -~]/g, (character) => {
    const hex = character.charCodeAt(0).toString(16).padStart(2, "0");
    return NAMED_ESCAPES[character] ?? `\\x${hex}`;
  });
  return `b${quote}${inner}${quote}`;
}
