import { command } from "../framework/command.ts";
import type { CommandTree } from "../framework/command-tree.ts";

/** @param loadTree loads every command */
export const createCapabilitiesCommand = (loadTree: () => Promise<CommandTree>) =>
  command({
    name: "capabilities",
    prints: "Capabilities",
    summary: "describe commands, options, exit codes, error codes and variables for programs",
    output: "document",
    examples: ["claims capabilities", "claims capabilities --json | jq '.commands[].name'"],
    async run({ version }) {
      const { listCommands } = await import("../capabilities/commands.ts");
      const { describeCapabilities } = await import("../capabilities/capabilities.ts");
      const { renderCapabilities } = await import("../capabilities/render.ts");
      const all = describeCapabilities(version, await listCommands(await loadTree()));
      // On one line: indentation would be three fifths of it.
      return { kind: "record", json: Buffer.from(JSON.stringify(all)), blocks: renderCapabilities(all) };
    },
  });
