import { VARIABLES } from "./environment-variables.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import type { HelpTopic } from "./help-topics.ts";
import type { Block, Table } from "./output/output.ts";

interface Topic {
  /** The facts, for a program. */
  readonly json: object;
  readonly blocks: readonly Block[];
}

/** Backquotes are for the README. */
const plain = (text: string): string => text.replaceAll("`", "");

const table = (names: readonly [string, string], rows: readonly (readonly [string, string])[]): Table => ({
  kind: "table",
  columns: names.map((name) => ({ name })),
  rows,
});

const lines = (...text: readonly string[]): Block => ({ kind: "paragraph", lines: text });

const records = (names: readonly [string, string], rows: readonly (readonly [string, string])[]): object[] =>
  rows.map(([first, second]) => ({ [names[0]]: first, [names[1]]: second }));

/** A topic that is a table of two columns with some lines after it. */
const tabled = (
  names: readonly [string, string],
  rows: readonly (readonly [string, string])[],
  ...after: readonly string[]
): Topic => ({
  json: records(names, rows),
  blocks: [table(names, rows), ...(after.length > 0 ? [lines(...after)] : [])],
});

const FORMATS = [
  ["(terminal)", "a table or a card"],
  ["(pipe)", "tab-separated rows: no header, no colour, nothing cut off, times as RFC 3339"],
  ["--json", "one JSON document: the service's own bytes where it answered"],
  ["--ndjson", "one JSON document a line, for lists"],
  ["--csv", "RFC 4180 with a header, for lists"],
  ["--fields a,b.c", "only these fields, in any of the formats above"],
  ["-q, --quiet", "ids only, one a line; other commands take them from stdin as -"],
  ["--out FILE", "the same into a file, whole or not at all"],
  ["--color, --no-color", "decides; then NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, TERM=dumb, CLICOLOR=0"],
] as const;

/** What each help topic says. */
export const TOPICS = {
  "exit-codes": tabled(
    ["code", "meaning"],
    Object.entries(EXIT_CODES).map(([code, meaning]) => [code, plain(meaning)] as const),
    "An error is one line `error: …` and one line `hint: …` on stderr; with --json it is",
    '{"error":{"code","message","hint","status","requestId","retryable","exitCode"}} there.',
  ),
  environment: tabled(
    ["variable", "meaning"],
    Object.entries(VARIABLES).map(([name, meaning]) => [name, plain(meaning)] as const),
    "A flag wins over the environment, and the environment over a profile.",
  ),
  formatting: tabled(
    ["form", "meaning"],
    FORMATS,
    "stdout is the answer and nothing else; messages, progress and errors go to stderr.",
  ),
  credentials: {
    json: {},
    blocks: [lines("")],
  },
} as const satisfies Record<HelpTopic, Topic>;
