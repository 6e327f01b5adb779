import { COLUMN_FORMATS } from "../entries/column-formats.ts";
import { COLUMNS, type ColumnName, ES003_MARKERS, normaliseHeader } from "../entries/columns.ts";
import { CsvReader } from "../entries/csv/csv-reader.ts";
import type { Layout } from "../entries/entry.ts";
import { FIRST_AS_OF } from "./entry-facts.ts";
import { ROW_LAYOUTS } from "./rows.ts";
import { generateScenarioFile } from "./scenario-file.ts";

/** A column of an entry file, in the order of the template. */
export interface TemplateColumn {
  /** Null for a column of the ACE report that is only recognized. */
  readonly column: ColumnName | null;
  /** Its heading in the ACE report ES-003; null if the report has no such column. */
  readonly es003Heading: string | null;
  readonly required: boolean;
  readonly format: string;
  readonly example: string;
  /** Other headings, in the form of comparison. */
  readonly alsoAccepted: readonly string[];
}

/** A file of one entry with all columns of the layout. The second row of es003 is the goods, the first their duty. */
export const generateTemplate = (layout: Layout): Iterable<Uint8Array> =>
  generateScenarioFile({
    scenario: "clean",
    rows: layout === "entry" ? 1 : 2,
    layout,
    seed: 1,
    asOf: FIRST_AS_OF,
  });

export function listTemplateColumns(layout: Layout): TemplateColumn[] {
  const names: readonly string[] = ROW_LAYOUTS[layout].columns;
  const example = readLastRow(generateTemplate(layout));
  return names.map((name, index) => {
    const known = COLUMNS.find((column) => column.name === name);
    const heading = ROW_LAYOUTS.es003.header[ROW_LAYOUTS.es003.columns.indexOf(name)] ?? null;
    const isMarker = layout === "es003" && ES003_MARKERS.includes(normaliseHeader(heading ?? ""));
    const format = known && COLUMN_FORMATS[known.name];
    return {
      column: known?.name ?? null,
      es003Heading: heading,
      required: isMarker || (known?.requiredIn.includes(layout) ?? false),
      format: format?.format ?? (isMarker ? "a number; the heading marks the layout" : "a number"),
      example: example[index] || (format?.example ?? ""),
      alsoAccepted: known?.headers.slice(1) ?? [],
    };
  });
}

function readLastRow(chunks: Iterable<Uint8Array>): readonly string[] {
  let row: readonly string[] = [];
  const reader = new CsvReader((record) => {
    row = record.cellTexts();
  });
  for (const bytes of chunks) reader.push(bytes);
  reader.end();
  return row;
}
