import { usageError } from "../../domain/errors.ts";
import { findClosest } from "../../domain/text.ts";
import { command } from "../framework/command.ts";
import type { DescribedTree } from "../framework/command-tree.ts";

/** @param loadTree loads every command, with the schemas of what they print */
export const createCapabilitiesCommand = (loadTree: () => Promise<DescribedTree>) =>
  command({
    name: "capabilities",
    summary: "describe commands, exit codes, errors and the sandbox for programs",
    output: "document",
    options: { command: { value: "name", help: "only this command, or the commands of this noun" } },
    examples: [
      "claims capabilities",
      "claims capabilities --json | jq '.commands[].name'",
      'claims capabilities --command "diligence submit" --json',
    ],
    async run({ version }, { options }) {
      const { describeCapabilities, selectCommands } = await import("../capabilities/capabilities.ts");
      const { renderCapabilities, renderCommands } = await import("../capabilities/render.ts");
      const all = await describeCapabilities(await loadTree(), version);
      if (options.command === undefined)
        return { kind: "record", json: all, blocks: renderCapabilities(all) };
      const words = options.command
        .trim()
        .replace(/^claims /, "")
        .replace(/\s+/g, " ");
      const selected = selectCommands(all, words);
      if (selected) return { kind: "record", json: selected, blocks: renderCommands(selected) };
      const closest = findClosest(
        words,
        all.commands.map(({ name }) => name),
      );
      throw usageError("usage", `no command "${words}"`, {
        hint: closest ? `did you mean "${closest}"?` : "`claims help --all` lists the commands",
      });
    },
  });
