/** What is rewritten in a file of entries before it is read or sent. */
export interface FileMapping {
  /** Headings of the file, with the ones that replace them. */
  readonly headings: Readonly<Record<string, string>>;
  /** Between the cells of the file; they are sent with commas. */
  readonly delimiter: string;
}

export const NO_MAPPING: FileMapping = { headings: {}, delimiter: "," };
