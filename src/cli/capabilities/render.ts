import type { Block } from "../output/output.ts";
import type { Capabilities, CapabilitiesPart, CommandEntry, OptionEntry } from "./schema.ts";

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
    ...args.map((argument) => [
      argument.repeats ? `${argument.name}...` : argument.name,
      describeInput({ ...argument, repeats: false, variable: null }),
    ]),
    ...options.map((option) => [formatFlags(option), describeInput(option)]),
  ];
  return rows.length === 0
    ? []
    : [{ kind: "table", columns: [{ name: "option" }, { name: "meaning" }], rows }];
}

const formatFlags = ({ flag, short, kind }: OptionEntry): string =>
  `${short === null ? "" : `${short}, `}${kind === "switch" ? flag : `${flag} <${kind}>`}`;

/** As in `limit each request; default: 60s`. */
const describeInput = (input: Omit<OptionEntry, "flag" | "short" | "kind" | "group">): string =>
  [
    input.summary,
    ...(input.choices ? [`choices: ${input.choices.join(", ")}`] : []),
    ...(input.default === null ? [] : [`default: ${input.default}`]),
    ...(input.variable === null ? [] : [`variable: ${input.variable}`]),
    ...(input.required ? ["required"] : []),
    ...(input.repeats ? ["repeatable"] : []),
  ].join("; ");
