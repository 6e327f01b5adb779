// The man page. docs/reference/commands.md has the options that many commands share; here each command lists its own.

/** @typedef {import("./src/cli/capabilities/schema.ts").Capabilities} Capabilities */
/** @typedef {import("./src/cli/capabilities/schema.ts").CommandEntry} Command */

/** Text of a line: a full stop or an apostrophe at its start would be a request (groff(7)). @param {string} text */
const escapeRoff = (text) =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("`", "")
    .replaceAll("…", "...")
    .replace(/^(?=[.'])/gm, "\\&");

/** @param {string} term @param {string} text */
const item = (term, text) => `.TP\n.B ${escapeRoff(term)}\n${escapeRoff(text)}`;

/** @param {Capabilities} capabilities */
export function manPage({ version, commands, environment, exitCodes }) {
  return `${[
    `.TH CLAIMS 1 "" "claims-toolkit ${version}" "User Commands"`,
    ".SH NAME\nclaims \\- submit diligence files to the partner claims API, and run its sandbox",
    ".SH SYNOPSIS\n.B claims\n.I command\n[\\fIoptions\\fR]",
    `.SH DESCRIPTION\n${escapeRoff("`claims COMMAND --help` shows the options and examples of a command.")}`,
    ".SH COMMANDS",
    ...commands.map(renderCommand),
    ".SH ENVIRONMENT",
    ...environment.map(({ name, meaning }) => item(name, meaning)),
    ".SH EXIT STATUS",
    ...exitCodes.map(({ code, meaning }) => item(String(code), meaning)),
  ].join("\n")}\n`;
}

/** @param {Command} command */
function renderCommand({ usage, summary, options }) {
  const own = options.filter(({ group }) => group === "command");
  return [
    `.SS ${escapeRoff(usage)}`,
    escapeRoff(summary),
    ...own.map(({ flag, short, kind, summary: text }) =>
      item([short, kind === "switch" ? flag : `${flag} ${kind}`].filter(Boolean).join(", "), text),
    ),
  ].join("\n");
}
