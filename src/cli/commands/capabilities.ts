import { usageError } from "../../domain/errors.ts";
import { findClosest } from "../../domain/text.ts";
import { command } from "../framework/command.ts";
import type { CommandTree } from "../framework/command-tree.ts";

/** @param loadTree loads every command */
export const createCapabilitiesCommand = (loadTree: () => Promise<CommandTree>) =>
  command({
    name: "capabilities",
    prints: "Capabilities",
    summary: "describe commands, exit codes, errors and the sandbox for programs",
    output: "document",
    options: { command: { value: "name", help: "only this command, or the commands of this noun" } },
    examples: [
      "claims capabilities",
      "claims capabilities --json | jq '.commands[].name'",
      'claims capabilities --command "diligence submit" --json',
    ],
    async run({ version }, { options }) {
      const { listCommands } = await import("../capabilities/commands.ts");
      const { describeCapabilities, describeCommands, selectCommands } = await import(
        "../capabilities/capabilities.ts"
      );
      const { renderCapabilities, renderCommands } = await import("../capabilities/render.ts");
      const commands = await listCommands(await loadTree());
      if (options.command === undefined) {
        const all = await describeCapabilities(version, commands);
        return { kind: "record", json: toLine(all), blocks: renderCapabilities(all) };
      }
      const words = options.command
        .trim()
        .replace(/^claims /, "")
        .replace(/\s+/g, " ");
      const selected = selectCommands(commands, words);
      if (selected.length > 0) {
        const json = await describeCommands(version, selected);
        return { kind: "record", json, blocks: renderCommands({ commands: selected }) };
      }
      const closest = findClosest(
        words,
        commands.map(({ name }) => name),
      );
      throw usageError("usage", `no command "${words}"`, {
        hint: closest ? `did you mean "${closest}"?` : "`claims help --all` lists the commands",
      });
    },
  });

/** On one line: indentation would be three fifths of it. */
const toLine = (json: object): Uint8Array => Buffer.from(JSON.stringify(json));
