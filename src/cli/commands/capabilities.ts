import type { Capabilities } from "../documents/capabilities.ts";
import { command } from "../framework/command.ts";
import type { CommandNode } from "../framework/command-tree.ts";
import type { Block } from "../output/output.ts";

/** @param loadTree loads every command */
export const createCapabilitiesCommand = (loadTree: () => Promise<CommandNode>) =>
  command({
    name: "capabilities",
    prints: "Capabilities",
    summary: "describe commands, options, exit codes, error codes and variables for programs",
    output: "document",
    examples: ["claims capabilities", "claims capabilities --json | jq '.commands[].name'"],
    async run({ version }) {
      const { describeCapabilities } = await import("../capabilities/capabilities.ts");
      const all = await describeCapabilities(version, await loadTree());
      // On one line: indentation would be three fifths of it.
      return { kind: "record", json: Buffer.from(JSON.stringify(all)), blocks: countParts(all) };
    },
  });

const countParts = (all: Capabilities): readonly Block[] => {
  const parts = Object.entries(all).filter(([, part]) => typeof part !== "string");
  const rows = parts.map(([name, part]) => [name, Object.keys(part).length] as const);
  return [
    { kind: "card", section: "capabilities", rows },
    { kind: "paragraph", isAdvice: true, lines: ["--json prints everything."] },
  ];
};
