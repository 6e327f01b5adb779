import { Buffer } from "../buffer.ts";
import { type BodyFault, rareFault, STAGE, type Undo, whereText } from "./body-fault.ts";
import { CONSTANT_TEXTS } from "./constant-texts.ts";
import type { JsonStyle } from "./json-text.ts";

const PYTHON: JsonStyle = {
  space: " ",
  strings: "pythonRepr",
  numbers: "python",
  words: { null: "None", true: "True", false: "False" },
};
const RUBY: JsonStyle = {
  space: " ",
  strings: "javascript",
  numbers: "python",
  words: { null: "nil" },
  colon: "=>",
};

const dumpAs =
  (style: JsonStyle): Undo =>
  (body) =>
    typeof body.json === "object" ? body.print(style) : null;

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

const PYTHON_ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
};

/** The bytes as repr() of Python prints them, which an f-string of bytes does, too. */
const printPythonBytes: Undo = ({ bytes }) => {
  const text = bytes.toString("latin1");
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(/[^ -\x7e]|\\/g, (character) => {
    const hex = character.charCodeAt(0).toString(16).padStart(2, "0");
    return PYTHON_ESCAPES[character] ?? `\\x${hex}`;
  });
  return `b${quote}${quote === "'" ? escaped.replaceAll("'", "\\'") : escaped}${quote}`;
};

/** What a program signs in place of the body: of a value that was parsed, or of bytes that became text. */
// biome-ignore format: a table, one row a line
export const DUMP_FAULTS: readonly BodyFault[] = [
  ...CONSTANT_TEXTS.filter(([text]) => text !== "").map(([text, description]) => rareFault("body.constant", STAGE.encode, `${description}, in place of the body`, () => text)),
  dumped("the body as Python prints a dict", dumpAs(PYTHON)),
  dumped("the bytes as Python prints them, as b'…'", printPythonBytes),
  dumped("the body as Ruby prints a hash", dumpAs(RUBY)),
  dumped("the numbers of the bytes, as Go prints them", ({ bytes }) => `[${bytes.join(" ")}]`),
  dumped("the numbers of the bytes with commas, as JavaScript prints them", ({ bytes }) => bytes.join(",")),
  dumped("the Buffer as JSON, as Node prints it", ({ bytes }) => JSON.stringify({ type: "Buffer", data: [...bytes] })),
  dumped("the body that was parsed as a form, as JSON", parseAsForm),
  rareFault("body.replaced_characters", STAGE.encode, "the body with ? for the characters beyond ASCII", toAscii("?")),
  rareFault("body.replaced_characters", STAGE.encode, "the body with ? for each UTF-16 unit beyond ASCII, as .NET prints it", toAscii("?", /[^\0-\x7f]/g)),
  rareFault("body.replaced_characters", STAGE.encode, "the body without the characters beyond ASCII", toAscii("")),
  rareFault("body.charset", STAGE.encode, "the body in Latin-1", ({ text, bytes }) => text === null || text.length === bytes.length || /[^\0-\xff]/.test(text) ? null : Buffer.from(text, "latin1")),
  ...BUFFER_SIZES.map((size) => rareFault("body.truncated", STAGE.encode, `the first ${size} bytes of the body, as many as a buffer has`, ({ bytes }, { isComputed }) => (isComputed && bytes.length > size ? bytes.subarray(0, size) : null))),
];
