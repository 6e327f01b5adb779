import { TextDecoder } from "node:util";

/**
 * The lines of a text that arrives in pieces, without their line feeds. Each character is looked at once, however long
 * its line is.
 *
 * @param checkLength called after each piece with the characters of the line that has not ended yet; may throw
 */
export async function* splitLines(
  source: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  checkLength: (length: number) => void = () => {},
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let unfinished: string[] = [];
  let length = 0;
  for await (const piece of source) {
    const text = typeof piece === "string" ? piece : decoder.decode(piece, { stream: true });
    const [first = "", ...others] = text.split("\n");
    unfinished.push(first);
    length += first.length;
    for (const line of others) {
      yield unfinished.join("");
      unfinished = [line];
      length = line.length;
    }
    checkLength(length);
  }
  if (length > 0) yield unfinished.join("");
}
