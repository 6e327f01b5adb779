import { Buffer } from "../buffer.ts";

/** What programs hash where the body is missing, or was parsed, and how to say it. */
// biome-ignore format: a table, one text a line
export const CONSTANT_TEXTS: readonly (readonly [text: string, description: string])[] = [
  ["", "an empty body"],
  ["undefined", "the word undefined"],
  ["[object Object]", "the words [object Object], which are a parsed body in text"],
  ["{}", "an empty object, {}"],
  ["null", "the word null"],
  ["None", "the word None"],
  ["[object Promise]", "the words [object Promise]: the body was not awaited"],
  ["[object ReadableStream]", "the words [object ReadableStream]: the stream was not read"],
  ["Array", "the word Array, as PHP prints a parsed body"],
  ["nil", "the word nil"],
  ["b''", "the empty bytes of Python, b''"],
  ['{"type":"Buffer","data":[]}', "an empty Buffer as JSON"],
];

const DESCRIPTIONS = new Map(CONSTANT_TEXTS);

/** What is in place of the body, in words; null for a body. White space around it is the log's. */
export function readConstantText(body: Uint8Array | string): string | null {
  if (body.length > 64) return null;
  const text = typeof body === "string" ? body : Buffer.from(body).toString();
  return DESCRIPTIONS.get(text) ?? DESCRIPTIONS.get(text.trim()) ?? null;
}
