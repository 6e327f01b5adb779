import { splitLines } from "../../domain/split-lines.ts";

/** The lines of a body as they come, without those that are blank. */
export async function* readLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const line of splitLines(body)) if (line.trim() !== "") yield line;
}
