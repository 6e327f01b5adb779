/** The cells of each row of a table with quotes (RFC 4180). */
function* readRows(text: string, delimiter: string): Generator<string[]> {
  const cellEnd = new RegExp(`[\\n${delimiter}]`, "g");
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = "";
    if (text[at] === '"') {
      let end = at + 1;
      for (;;) {
        const quote = text.indexOf('"', end);
        const stop = quote < 0 ? text.length : quote;
        cell += text.slice(end, stop);
        end = stop + 1;
        if (text[end] !== '"') break;
        cell += '"';
        end += 1;
      }
      at = end;
    }
    cellEnd.lastIndex = at;
    const end = cellEnd.exec(text)?.index ?? text.length;
    row.push((cell + text.slice(at, end)).replace(/\r$/, ""));
    at = end + 1;
    if (text[end] !== delimiter) {
      yield row;
      row = [];
    }
  }
  if (row.length > 0) yield row;
}

const NAME = /^"?@?[A-Za-z_][\w .@:/()[\]-]{0,60}"?$/;

/** The records of a table whose first row has names; null for other text. */
export function parseTable(text: string, header: string, delimiters = [",", "\t", ";"]) {
  const delimiter = delimiters.find((each) => {
    const names = header.replace(/^\ufeff/, "").split(each);
    return names.length > 1 && names.every((name) => NAME.test(name.trim()));
  });
  if (delimiter === undefined) return null;
  const rows = readRows(text.replace(/^\ufeff?\s*/, ""), delimiter);
  const names = rows.next().value as string[];
  const cells = [...rows];
  // A first line of a log can have commas, too.
  const isTable = cells.filter(({ length }) => length === names.length).length >= cells.length / 2;
  if (!isTable) return null;
  return cells.map((row) =>
    Object.fromEntries(row.map((cell, index) => [names[index]?.trim() || `column ${index + 1}`, cell])),
  );
}
