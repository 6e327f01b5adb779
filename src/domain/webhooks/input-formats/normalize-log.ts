import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import { mentionsServiceHeader } from "./header-notation.ts";

/** Colours of a terminal (ECMA-48 §8.3.117). */
const COLOUR = /\u001b\[[\d;]*m/g;

/** What `docker compose logs` writes before each line. */
const COMPOSE_PREFIX = /^[\w.-]+-\d+ +\| /;

const SIGNATURE = /(?<!\w)[0-9a-f]{64}(?!\w)/;

/** A log as its program wrote it, with the names of the headers where it has their values alone. */
export function normalizeLog(text: string): string {
  const plain = text.includes("\u001b[") ? text.replace(COLOUR, "") : text;
  const lines = plain.split("\n");
  const isComposed = COMPOSE_PREFIX.test(lines[0] ?? "") && COMPOSE_PREFIX.test(lines[1] ?? "");
  const own = isComposed ? lines.map((line) => line.replace(COMPOSE_PREFIX, "")) : lines;
  if (mentionsServiceHeader(plain)) return own === lines ? plain : own.join("\n");
  return own.map((line) => (SIGNATURE.test(line) ? nameHeaders(line) : line)).join("\n");
}

const LABELLED = [
  [/\b(?:sig|signature|hmac)(\\?["']?\s*[=:]\s*\\?["']?)(?=[0-9a-f]{64}\b)/gi, SIGNATURE_HEADER],
  [/\b(?:t|ts|timestamp)(\\?["']?\s*[=:]\s*\\?["']?)(?=\d{10}(?![.\d]))/gi, TIMESTAMP_HEADER],
] as const;
const QUOTED = [
  [/"([0-9a-f]{64})"/g, SIGNATURE_HEADER],
  [/"(\d{10})"/g, TIMESTAMP_HEADER],
] as const;

/** Values that HAProxy captured (its manual, §8.8): in braces, between bars, without names. */
const CAPTURED = /\{([^{}]*\|[^{}]*)\}/;
const CAPTURED_VALUES = [
  [/^[0-9a-f]{64}$/, SIGNATURE_HEADER],
  [/^\d{10}$/, TIMESTAMP_HEADER],
] as const;

/** A line with one signature and one timestamp under shorter names, or at their place in an access log. */
function nameHeaders(line: string): string {
  if (LABELLED.every(([pattern]) => line.match(pattern)?.length === 1))
    return LABELLED.reduce((text, [pattern, name]) => text.replace(pattern, `${name}$1`), line);
  if (QUOTED.every(([pattern]) => line.match(pattern)?.length === 1))
    return QUOTED.reduce((text, [pattern, name]) => text.replace(pattern, `${name}: $1`), line);
  const [captured, values = ""] = CAPTURED.exec(line) ?? [];
  if (captured === undefined) return line;
  const named = values.split("|").map((value) => {
    const [, name] = CAPTURED_VALUES.find(([pattern]) => pattern.test(value)) ?? [];
    return name === undefined ? value : `${name}: ${value}`;
  });
  return line.replace(captured, () => named.join(" "));
}
