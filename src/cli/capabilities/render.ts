import type { Block } from "../output/output.ts";
import type { Capabilities, CapabilitiesPart, CommandEntry } from "./schema.ts";

/** A summary of all parts for people. */
export function renderCapabilities(all: Capabilities): readonly Block[] {
  const parts = Object.entries(all).filter(([, part]) => typeof part !== "string");
  return [
    {
      kind: "card",
      section: "capabilities",
      rows: parts.map(([name, part]) => [name, Object.keys(part).length]),
    },
    {
      kind: "paragraph",
      isAdvice: true,
      lines: [
        "--json prints everything, --command NAME a part.",
        "`claims help --all` lists the commands for people.",
      ],
    },
  ];
}

/** Each command with its arguments and options. */
export const renderCommands = ({ commands }: Pick<CapabilitiesPart, "commands">): readonly Block[] =>
  commands.flatMap((command): Block[] => [
    { kind: "paragraph", lines: [command.usage, `  ${command.summary}`] },
    ...renderInputs(command),
  ]);

function renderInputs({ arguments: args, options }: CommandEntry): Block[] {
  const rows = [
    ...args.map(({ name, summary }) => [name, summary] as const),
    ...options.map(
      ({ flag, kind, summary }) => [kind === "switch" ? flag : `${flag} <${kind}>`, summary] as const,
    ),
  ];
  return rows.length === 0
    ? []
    : [{ kind: "table", columns: [{ name: "option" }, { name: "meaning" }], rows }];
}
