import { Buffer } from "node:buffer";

/** A name, and a value that is quoted or not. */
const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^;\s]*))/g;

/** The parameters of a header by lower-case name, the first of each. @param header latin1; values are UTF-8 (RFC 7578 §5.1) */
export function readParameters(header: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [, name = "", quoted, plain = ""] of header.matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    const value = quoted === undefined ? plain : unquote(quoted);
    if (!parameters.has(key)) parameters.set(key, Buffer.from(value, "latin1").toString());
  }
  return parameters;
}

/** Browsers and curl write a quote as `%22`, older clients as `\"`; a backslash before anything else is part of a path. */
const unquote = (text: string): string => text.replace(/\\(["\\])/g, "$1").replaceAll("%22", '"');
