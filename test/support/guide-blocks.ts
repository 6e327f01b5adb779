/** A fenced block of a Markdown file. Its info string is a language and the role of the block in the test. */
export interface Block {
  readonly language: string;
  /** `no-run`, `background`, `output`, `terminal`, `diagram` or `file=NAME`; empty for lines that the test runs. */
  readonly role: string;
  readonly text: string;
  /** The line of the file with the opening fence, from 1. */
  readonly line: number;
}

export function parseBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  for (const match of markdown.matchAll(/^```(\S*) ?(.*)\n([\s\S]*?)^```$/gm)) {
    const [, language = "", role = "", text = ""] = match;
    blocks.push({ language, role, text, line: markdown.slice(0, match.index).split("\n").length });
  }
  return blocks;
}

/** A command with its continuation lines, and the exit code of its comment `# exit N`. */
export interface ShellCommand {
  readonly text: string;
  readonly exitCode: number;
}

/** Splits shell text into its commands. Continued, indented and closing lines and here-documents belong to the preceding line. */
export function splitCommands(text: string): ShellCommand[] {
  const commands: string[] = [];
  let terminator: string | undefined;
  for (const line of text.split("\n")) {
    const last = commands.at(-1);
    const isContinued = /^(\s|done\b|fi\b|\})/.test(line) || last?.endsWith("\\");
    if (last !== undefined && (terminator !== undefined || (isContinued && line !== ""))) {
      commands[commands.length - 1] = `${last}\n${line}`;
      if (line === terminator) terminator = undefined;
    } else if (line !== "" && !line.startsWith("#")) {
      commands.push(line);
    }
    terminator ??= /<<-?'?(\w+)'?/.exec(line)?.[1];
    if (line === terminator) terminator = undefined;
  }
  return commands.map((command) => ({
    text: command,
    exitCode: Number(/ # .*\bexit (\d+)/.exec(command)?.[1] ?? 0),
  }));
}

/** Replaces the values that differ between runs: ids, secrets, times, ports and durations. */
export const normalizeOutput = (text: string): string =>
  text
    .replaceAll("\r\n", "\n")
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "ID")
    .replace(/\b[0-9a-f]{64}\b/g, "HASH")
    .replace(/\b(whsec|sk_sandbox|cs_sandbox|at_sandbox)_[\w-]+/g, "$1_SECRET")
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "TIME")
    .replace(/\b\d{4}-\d\d-\d\d\b/g, "DATE")
    .replace(/\b\d\d:\d\d(:\d\dZ?\b| UTC)/g, "TIME")
    .replace(/\b17\d{8}\b/g, "UNIXTIME")
    .replace(/(127\.0\.0\.1|localhost):\d+/g, "$1:PORT")
    .replace(/\b\d+(\.\d+)? ?(ms|s)\b/g, "DURATION")
    .replace(/[ \t]+$/gm, "")
    .trimEnd();

/** A pattern for the output of a block: a line `…` matches any number of lines, and `…` within a line any text. */
export function outputPattern(text: string): RegExp {
  const lines = normalizeOutput(text)
    .split("\n")
    .map((line) => {
      if (line.trim() === "…") return "(?:.*\\n)*?";
      const literal = line.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
      return `${literal.join(".*")}\\n`;
    });
  return new RegExp(`^${lines.join("")}$`);
}
