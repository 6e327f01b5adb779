// The man page.
import { describeArgument, describeOption, formatFlag } from "./inputs.js";
import { distinctOptions } from "./pages.js";

/** @typedef {Omit<import("../../src/cli/documents/capabilities.ts").Capabilities, "commands"> & { commands: readonly Command[] }} Capabilities */
/** @typedef {import("../../src/cli/documents/capabilities.ts").CommandEntry} Command */
/** @typedef {import("../../src/cli/documents/capabilities.ts").OptionEntry} Option */

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
    ".SH SERVICE OPTIONS\nCommands that call the service also take these options.",
    ...distinctOptions(commands, "service").map(optionItem),
    ".SH WRITE OPTIONS\nThe help of each command that writes names those that it takes.",
    ...distinctOptions(commands, "write").map(optionItem),
    ".SH OUTPUT OPTIONS\nThe help of each command lists which of them it takes.",
    ...distinctOptions(commands, "output").map(optionItem),
    ".SH ENVIRONMENT",
    ...environment.map(({ name, meaning }) => item(name, meaning)),
    ".SH EXIT STATUS",
    ...exitCodes.map(({ code, meaning }) => item(String(code), meaning)),
  ].join("\n")}\n`;
}

/** @param {Command} command */
function renderCommand({ usage, summary, arguments: args, options }) {
  return [
    `.SS ${escapeRoff(usage)}`,
    escapeRoff(summary),
    ...args.map((argument) =>
      item(argument.repeats ? `${argument.name}...` : argument.name, describeArgument(argument, plain)),
    ),
    ...options.filter(({ group }) => group === "command").map(optionItem),
  ].join("\n");
}

/** @param {Option} option */
const optionItem = (option) =>
  item([option.short, formatFlag(option)].filter(Boolean).join(", "), describeOption(option, plain));

/** @param {string} text */
const plain = (text) => text;
