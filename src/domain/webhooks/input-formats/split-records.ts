import { isTextTooDeep, parseJsonText } from "../../json.ts";
import { parseTable } from "../../table.ts";

/** What a file was taken for. */
export type DocumentForm = "raw request" | "JSON" | "table" | "log";

interface SourcedRecord {
  /** The file, with the line or the position in it. */
  readonly source: string;
  readonly value: unknown;
  /** The index of its line in a log. */
  readonly line?: number;
}

export interface SplitText {
  readonly form: DocumentForm;
  readonly records: readonly SourcedRecord[];
  /** The lines of a log; another document has none. */
  readonly lines: readonly string[];
}

/** The records of a text, each with its place. @param first the first line that is not empty */
export function splitRecords(text: string, first: string, displayName: string): SplitText {
  const number = (values: readonly unknown[]) =>
    values.map((value, index) => ({
      source: values.length === 1 ? displayName : `${displayName}#${index + 1}`,
      value,
    }));
  if (/^\s*[[{]/.test(text) && !isTextTooDeep(text)) {
    const value = parseJsonText(text);
    const values = value === undefined ? readDocuments(text) : Array.isArray(value) ? value : [value];
    if (values !== null) return { form: "JSON", records: number(values), lines: [] };
  }
  const table = parseTable(text, first);
  if (table) return { form: "table", records: number(table), lines: [] };
  const lines = text.split("\n");
  const records = lines.flatMap((own, line) =>
    own.trim().length < MIN_RECORD_LENGTH
      ? []
      : [{ source: `${displayName}:${line + 1}`, value: readLine(own), line }],
  );
  return { form: "log", records, lines };
}

/** Shorter lines, such as brackets, are parts of a record at most. */
const MIN_RECORD_LENGTH = 3;

/** JSON documents over several lines, one after the other; null for other text. */
function readDocuments(text: string): readonly unknown[] | null {
  if (!/^\s*\{\s*\n/.test(text)) return null;
  const values = text.split(/(?<=^\})\s*\n(?=\{)/m).map(parseJsonText);
  return values.length > 1 && values.every((value) => value !== undefined) ? values : null;
}

/** A line of JSON as its value. Other text keeps its indentation, which can be that of a body of several lines. */
export function readLine(line: string): unknown {
  // To parse what cannot be JSON takes longer than to look at its end.
  const isJson = /^\s*[[{]/.test(line) && /[\]}]$/.test(line.trimEnd()) && !isTextTooDeep(line);
  return (isJson ? parseJsonText(line) : undefined) ?? line.trimEnd();
}
