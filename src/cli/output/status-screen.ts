import { Readable } from "node:stream";
import type { OutputStream } from "../context.ts";
import { sanitizeLine } from "./sanitize.ts";
import { truncate } from "./wrap.ts";

/** ECMA-48: erase the line (EL); erase the display and go to its beginning (ED, CUP). */
const ERASE_LINE = "\r\u001b[2K";
const ERASE_SCREEN = "\u001b[2J\u001b[3J\u001b[H";

/**
 * Lines that arrive over time, above one row that shows the present state.
 *
 * @param style of the row. A terminal without width or cursor control has no row
 */
export function createStatusScreen(
  stdout: OutputStream,
  { hasRow, style }: { readonly hasRow: boolean; readonly style: (text: string) => string },
) {
  const output = new Readable({ encoding: "utf8", read() {} });
  let status = "";
  let width = 0;
  // One character less: at the last column, a terminal may wrap.
  const drawRow = () => {
    width = stdout.columns;
    return hasRow && width > 1 ? style(truncate(sanitizeLine(status), width - 1)) : "";
  };
  const eraseRow = () => (hasRow ? ERASE_LINE : "");
  return {
    /** What to write to the terminal; ends with `end`. */
    output,
    /** @param text lines that end with a line feed */
    print: (text: string) => void output.push(eraseRow() + text + drawRow()),
    /** Replaces the row, if it differs. */
    showStatus(text: string) {
      if (!hasRow || (text === status && stdout.columns === width)) return;
      status = text;
      output.push(eraseRow() + drawRow());
    },
    clear: () => void (hasRow && output.push(ERASE_SCREEN + drawRow())),
    end() {
      if (output.readableEnded) return;
      output.push(eraseRow());
      output.push(null);
    },
  };
}
