import { Buffer } from "node:buffer";
import { decodeEntitiesOf } from "../explain/body-encodings.ts";

type Element = Record<string, unknown>;

/** Markup as tags, comments and CDATA; what is between them is text. */
const PIECE =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\/([\w:.-]+)\s*>|<([A-Za-z_][\w:.-]*)((?:[^<>"']|"[^"]*"|'[^']*')*?)(\/?)>|<[?!][^>]*>|([^<]+)/g;

const MAX_DEPTH = 64;

/**
 * XML, or tables in HTML, as records: elements are fields, several of one name are a list, and text is the value. A
 * `base64` attribute (Burp) decodes it.
 */
export function parseXml(text: string): unknown {
  const root: Open = { name: "", fields: {}, text: "", isBase64: false };
  const open: Open[] = [root];
  for (const [, data, closing, opening, attributes = "", isEmpty, plain] of text.matchAll(PIECE)) {
    const current = open.at(-1) as Open;
    if (data !== undefined) current.text += data;
    else if (plain !== undefined) current.text += decodeEntitiesOf(plain);
    else if (opening !== undefined && open.length < MAX_DEPTH) {
      const element: Open = {
        name: opening,
        fields: readAttributes(attributes),
        text: "",
        isBase64: /\bbase64="true"/.test(attributes),
      };
      if (isEmpty === "/") close(current, element);
      else open.push(element);
    } else if (closing !== undefined && open.some(({ name }) => name === closing))
      while (closeLast(open).name !== closing);
  }
  while (open.length > 1) closeLast(open);
  return root.fields;
}

interface Open {
  readonly name: string;
  readonly fields: Element;
  text: string;
  readonly isBase64: boolean;
}

const readAttributes = (text: string): Element =>
  Object.fromEntries(
    [...text.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(([, name, one, other]) => [
      name,
      decodeEntitiesOf(one ?? other ?? ""),
    ]),
  );

function closeLast(open: Open[]): Open {
  const ended = open.pop() as Open;
  close(open.at(-1) as Open, ended);
  return ended;
}

function close(parent: Open, { name, fields, text, isBase64 }: Open): void {
  const plain = isBase64 ? Buffer.from(text.trim(), "base64").toString() : text;
  const names = Object.keys(fields).filter((each) => each !== "base64");
  const value = names.length === 0 ? plain : plain.trim() === "" ? fields : { ...fields, value: plain };
  const before = parent.fields[name];
  if (before === undefined) parent.fields[name] = value;
  else if (Array.isArray(before)) before.push(value);
  else parent.fields[name] = [before, value];
}
