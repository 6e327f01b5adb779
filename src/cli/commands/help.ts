import { usageError } from "../../domain/errors.ts";
import { findClosest } from "../../domain/text.ts";
import { command } from "../framework/command.ts";
import { HELP_TOPICS } from "../framework/help-topics.ts";

const NAMES = HELP_TOPICS.map(({ name }) => name);

export const help = command({
  name: "help",
  prints: "HelpTopic",
  summary: "show the help of a command or a topic",
  output: "document",
  arguments: [{ name: "topic", help: NAMES.join(", "), isOptional: true }],
  examples: ["claims help options", "claims help diligence submit"],
  async run(_, { args: { topic: word = "" } }) {
    const topic = NAMES.find((name) => name === word);
    if (topic === undefined) {
      const closest = findClosest(word, NAMES);
      const problem = word === "" ? "no help topic given" : `no command or help topic "${word}"`;
      throw usageError("usage", problem, {
        hint: closest ? `did you mean "claims help ${closest}"?` : `the topics are ${NAMES.join(", ")}`,
      });
    }
    const { renderHelpTopic } = await import("../capabilities/help-texts.ts");
    return { kind: "record", ...renderHelpTopic(topic) };
  },
});
