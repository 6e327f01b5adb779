import { usageError } from "../../domain/errors.ts";
import { findClosest } from "../../domain/text.ts";
import { command } from "../framework/command.ts";
import type { CommandTree } from "../framework/command-tree.ts";
import { HELP_TOPICS } from "../framework/help-topics.ts";

const NAMES = HELP_TOPICS.map(({ name }) => name);

/** @param loadTree loads every command */
export const createHelpCommand = (loadTree: () => Promise<CommandTree>) =>
  command({
    name: "help",
    prints: "HelpTopic",
    summary: "show the help of a command or a topic",
    output: "document",
    arguments: [{ name: "topic", help: NAMES.join(", "), isOptional: true }],
    options: {
      all: { help: "show every command with its arguments and options" },
      man: { help: "print the man page" },
    },
    examples: [
      "claims help options",
      "claims help diligence submit",
      "claims help --man > claims.1 && man ./claims.1",
    ],
    async run({ version }, { args: { topic: word = "" }, options }) {
      if (options.man) {
        const { default: page } = await import("../../../docs/claims.1?text");
        return { kind: "stream", body: [page] };
      }
      if (options.all && word === "") {
        const { listCommands } = await import("../capabilities/commands.ts");
        const { renderCommands } = await import("../capabilities/render.ts");
        const commands = await listCommands(await loadTree());
        return { kind: "record", json: { version, commands }, blocks: renderCommands({ commands }) };
      }
      const topic = NAMES.find((name) => name === word);
      if (topic === undefined) {
        const closest = findClosest(word, NAMES);
        const message = word === "" ? "missing topic" : `no command or help topic "${word}"`;
        throw usageError("usage", message, {
          hint: closest ? `did you mean "claims help ${closest}"?` : `the topics are ${NAMES.join(", ")}`,
        });
      }
      const { renderHelpTopic } = await import("../capabilities/help-texts.ts");
      return { kind: "record", ...renderHelpTopic(topic) };
    },
  });
