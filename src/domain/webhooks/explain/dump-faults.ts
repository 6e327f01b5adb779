import { isRecord } from "../../json.ts";
import { Buffer } from "../buffer.ts";
import { type BodyFault, rareFault, STAGE, type Undo, whereText } from "./body-fault.ts";
import { CONSTANT_TEXTS } from "./constant-texts.ts";

/** How a language prints a parsed value in text. */
interface Dump {
  readonly string: (text: string) => string;
  readonly words: readonly [isNull: string, isTrue: string, isFalse: string];
  readonly colon: string;
}

const inSingleQuotes = (text: string): string =>
  text.includes("'") && !text.includes('"')
    ? `"${text.replace(/\\/g, "\\\\")}"`
    : `'${text.replace(/[\\']/g, "\\$&").replace(/\n/g, "\\n").replace(/\r/g, "\\r").replace(/\t/g, "\\t")}'`;

const PYTHON: Dump = { string: inSingleQuotes, words: ["None", "True", "False"], colon: ": " };
const RUBY: Dump = {
  string: (text) => JSON.stringify(text),
  words: ["nil", "true", "false"],
  colon: "=>",
};

function printDump(value: unknown, dump: Dump): string {
  if (typeof value === "string") return dump.string(value);
  if (value === null) return dump.words[0];
  if (typeof value === "boolean") return value ? dump.words[1] : dump.words[2];
  const print = (each: unknown) => printDump(each, dump);
  if (Array.isArray(value)) return `[${value.map(print).join(", ")}]`;
  if (!isRecord(value)) return String(value);
  const fields = Object.entries(value).map(([name, each]) => dump.string(name) + dump.colon + print(each));
  return `{${fields.join(", ")}}`;
}

const dumpAs =
  (dump: Dump): Undo =>
  ({ printableJson }) =>
    typeof printableJson === "object" ? printDump(printableJson, dump) : null;

const dumped = (description: string, undo: Undo): BodyFault =>
  rareFault("body.dump", STAGE.encode, description, undo);

/** A body that is read once into a buffer ends there. */
const BUFFER_SIZES = Array.from({ length: 11 }, (_, index) => 64 << index);

/** Characters beyond ASCII, replaced or left out. */
const toAscii = (replacement: string, replaced = /[^\0-\x7f]/gu) =>
  whereText(/[^\0-\x7f]/, (text) => text.replace(replaced, replacement));

/** Of JSON, body parsers make a name without a value, up to the first = or &. */
const parseAsForm: Undo = ({ text }, { isComputed }) =>
  isComputed && text !== null ? JSON.stringify(Object.fromEntries(new URLSearchParams(text))) : null;

/** What a program signs in place of the body: of a value that was parsed, or of bytes that became text. */
// biome-ignore format: a table, one row a line
export const DUMP_FAULTS: readonly BodyFault[] = [
  ...CONSTANT_TEXTS.filter(([text]) => text !== "").map(([text, description]) => rareFault("body.constant", STAGE.encode, `${description}, in place of the body`, () => text)),
  dumped("the body as Python prints a dict", dumpAs(PYTHON)),
  dumped("the body as Ruby prints a hash", dumpAs(RUBY)),
  dumped("the numbers of the bytes, as Go prints them", ({ bytes }) => `[${bytes.join(" ")}]`),
  dumped("the numbers of the bytes with commas, as JavaScript prints them", ({ bytes }) => bytes.join(",")),
  dumped("the bytes as Python prints them, b'…'", ({ bytes }) => printBytes(bytes)),
  dumped("the Buffer as JSON, as Node prints it", ({ bytes }) => JSON.stringify({ type: "Buffer", data: [...bytes] })),
  dumped("the body that was parsed as a form, as JSON", parseAsForm),
  rareFault("body.replaced_characters", STAGE.encode, "the body with ? for the characters beyond ASCII", toAscii("?")),
  rareFault("body.replaced_characters", STAGE.encode, "the body with ? for each UTF-16 unit beyond ASCII, as .NET prints it", toAscii("?", /[^\0-\x7f]/g)),
  rareFault("body.replaced_characters", STAGE.encode, "the body without the characters beyond ASCII", toAscii("")),
  rareFault("body.charset", STAGE.encode, "the body in Latin-1", ({ text, bytes }) => text === null || text.length === bytes.length || /[^\0-\xff]/.test(text) ? null : Buffer.from(text, "latin1")),
  ...BUFFER_SIZES.map((size) => rareFault("body.truncated", STAGE.encode, `the first ${size} bytes of the body, as many as a buffer has`, ({ bytes }, { isComputed }) => (isComputed && bytes.length > size ? bytes.subarray(0, size) : null))),
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
