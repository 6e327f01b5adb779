import { ClaimsError } from "../../domain/errors.ts";
import { findClosest } from "../../domain/text.ts";
import { command } from "../framework/command.ts";
import { HELP_TOPICS } from "../framework/help-topics.ts";

export const help = command({
  name: "help",
  summary: "show the help of a command, or explain a topic",
  remote: false,
  output: "document",
  arguments: [{ name: "topic", help: HELP_TOPICS.map(({ name }) => name).join(", "), isOptional: true }],
  options: {},
  examples: ["claims help exit-codes", "claims help diligence submit", "claims help environment --json"],
  async run(_, { args: { topic: asked = "" } }) {
    const topic = HELP_TOPICS.find(({ name }) => name === asked)?.name;
    if (topic === undefined) throw unknownTopicError(asked);
    const { renderHelpTopic: helpText } = await import("../framework/help-texts.ts");
    return { kind: "record", ...helpText(topic) };
  },
});

function unknownTopicError(asked: string): ClaimsError {
  const names = HELP_TOPICS.map(({ name }) => name);
  const meant = findClosest(asked, names);
  const fault = asked === "" ? "no topic is named" : `"${asked}" is no command and no help topic`;
  return new ClaimsError("usage", "unknown_topic", fault, {
    hint: meant ? `did you mean "claims help ${meant}"?` : `the topics are ${names.join(", ")}`,
  });
}
