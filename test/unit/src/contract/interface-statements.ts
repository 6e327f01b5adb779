import { createHash } from "node:crypto";

/** Splits the interface into its statements (table rows, list items, sentences) and returns a digest of each. */
export function digestStatements(markdown: string): string[] {
  let section = "Preamble";
  return markdown.split("\n").flatMap((line, index, lines) => {
    const heading = /^#+ (?:(\d+)\. )?/.exec(line);
    if (heading) {
      if (heading[1]) section = `§${heading[1]}`;
      return [];
    }
    const isHead = /^\|(?:-+\|)+$/.test(lines[index + 1] ?? "");
    if (line.trim() === "" || /^\|(?:-+\|)+$/.test(line) || isHead) return [];
    const sentences = line.startsWith("|")
      ? [line]
      : line.replace(/^(?:-|\d+\.) /, "").split(/(?<=\.) (?=[A-Z])/);
    return sentences.map((text) => digestOf(`${section} ${text.trim()}`));
  });
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8);
