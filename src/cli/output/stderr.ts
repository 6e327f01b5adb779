import { stripVTControlCharacters } from "node:util";
import { wrapAtSpaces } from "../../domain/wrap-text.ts";
import type { Context } from "../context.ts";
import { sanitizeJson, sanitizeLine } from "./sanitize.ts";

type Stderr = Pick<Context, "stderr">;

/** Writes text, or with `--json` a line of NDJSON. Prompts and the spinner alone write to stderr directly. */
export function writeToStderr({ stderr }: Stderr, text: string, json: object): void {
  const { columns, isTerminal, messages, secrets = [], writable } = stderr;
  const finish = (message: string) =>
    [...secrets].reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), message);
  const line = finish(`${JSON.stringify(json)}\n`);
  if (messages !== "ndjson") writable.write(isTerminal ? wrapLines(finish(text), columns) : finish(text));
  else writable.write(isTerminal ? sanitizeJson(line) : line);
}

/** Between words; a line that continues another one is indented. */
const wrapLines = (text: string, columns: number): string =>
  columns === 0
    ? text
    : text
        .split("\n")
        .map((line) => wrapAtSpaces(line, columns - INDENT.length, countShown).join(`\n${INDENT}`))
        .join("\n");

const countShown = (text: string): number => [...stripVTControlCharacters(text)].length;

const INDENT = "  ";

/** `warning: …` is a warning, which `-q` does not silence; any other line is a note. */
const WARNING = /^warning: (.*)$/s;

/** @param fields of a note: for programs, in addition to the text */
export function printMessage(
  context: Stderr,
  line: string,
  fields: Readonly<Record<string, string>> = {},
): void {
  const warning = WARNING.exec(line)?.[1];
  if (context.stderr.messages === "warnings" && warning === undefined) return;
  const json =
    warning === undefined ? { note: { message: line, ...fields } } : { warning: { message: warning } };
  writeToStderr(context, `${sanitizeLine(line)}\n`, json);
}
