import { COLUMN_FORMATS } from "../entries/column-formats.ts";
import { type ColumnName, findColumn } from "../entries/columns.ts";
import { CsvReader } from "../entries/csv/csv-reader.ts";
import type { Layout } from "../entries/entry.ts";
import { FIRST_AS_OF } from "./entry-facts.ts";
import { ROW_LAYOUTS } from "./rows.ts";
import { generateScenarioFile } from "./scenario-file.ts";

export interface TemplateColumn {
  readonly column: ColumnName;
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
  const example = readLastRow(generateTemplate(layout));
  return ROW_LAYOUTS[layout].columns.map((name, index) => {
    const { headers = [], requiredIn = [], es003Heading = null } = findColumn(name) ?? {};
    const format = COLUMN_FORMATS[name];
    return {
      column: name,
      es003Heading,
      required: requiredIn.includes(layout),
      format: format.format,
      example: example[index] || (format.example ?? ""),
      alsoAccepted: headers.slice(1),
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
