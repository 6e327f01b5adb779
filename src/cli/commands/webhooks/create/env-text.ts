/**
 * The text of a .env file with a variable set: its last line of that name, which is the one that counts, or else a new one
 * at the end.
 */
export function withVariable(text: string, name: string, value: string): string {
  const line = `${name}=${quoted(value)}`;
  const lines = [...text.matchAll(new RegExp(`^[ \\t]*(export[ \\t]+)?${name}[ \\t]*=[^\\r\\n]*`, "gm"))];
  const last = lines.at(-1);
  if (last)
    return text.slice(0, last.index) + (last[1] ?? "") + line + text.slice(last.index + last[0].length);
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  return `${text}${text === "" || text.endsWith("\n") ? "" : end}${line}${end}`;
}

/** Bare where every reader of such files takes it so; otherwise in the quotes that it does not have. */
function quoted(value: string): string {
  if (/^[\w.+/:@=-]+$/.test(value)) return value;
  const quote = ["'", '"', "`"].find((each) => !value.includes(each)) ?? "";
  return quote + value + quote;
}
