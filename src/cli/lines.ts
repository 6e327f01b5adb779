/** The lines of a body as they come, without those that are blank. */
export async function* linesIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const text of lines) if (text.trim() !== "") yield text;
  }
  if (rest.trim() !== "") yield rest;
}
