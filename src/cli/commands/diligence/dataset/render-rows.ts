import type { ReceivedRow } from "./entries.ts";

/**
 * Renders NDJSON, or CSV below its header. Nothing comes before the first row or the end, so that an error leaves stdout
 * empty.
 */
export async function* renderLines(
  rows: AsyncIterable<ReceivedRow>,
  header?: string,
): AsyncGenerator<string> {
  let prefix = header === undefined ? "" : `${header}\n`;
  for await (const { text } of rows) {
    yield `${prefix}${text}\n`;
    prefix = "";
  }
  if (prefix !== "") yield prefix;
}

/** Renders the document that the sandbox sends, with these rows. */
export async function* renderDocument(
  rows: AsyncIterable<ReceivedRow>,
  fields: { readonly jobId: string; readonly contractVersion: string | undefined },
): AsyncGenerator<string> {
  const start = `${JSON.stringify(fields).slice(0, -1)},"rows":[`;
  let separator = `${start}\n`;
  for await (const { text } of rows) {
    yield separator + text;
    separator = ",\n";
  }
  yield separator === ",\n" ? "\n]}\n" : `${start}]}\n`;
}
