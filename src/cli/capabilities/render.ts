import type { Capabilities, CommandEntry, OptionEntry } from "../documents/capabilities.ts";
import type { Block } from "../output/output.ts";

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
      lines: ["--json prints everything.", "`claims help --all` lists the commands for people."],
    },
  ];
}

export const renderCommands = ({
  commands,
}: {
  readonly commands: readonly CommandEntry[];
}): readonly Block[] =>
  commands.flatMap((command): Block[] => [
    { kind: "paragraph", lines: [command.usage, `  ${command.summary}`] },
    ...renderInputs(command),
  ]);

/** Of the common options the names alone, as `--help` has them. */
function renderInputs({ arguments: args, options }: CommandEntry): Block[] {
  const own = options.filter(({ group }) => group === "command");
  const groups = [...new Set(options.map(({ group }) => group))].filter((group) => group !== "command");
  const namesOf = (name: string) => options.filter(({ group }) => group === name).map(({ flag }) => flag);
  const rows = [
    ...args.map(({ name, repeats, ...argument }) => [repeats ? `${name}...` : name, describeInput(argument)]),
    ...own.map((option) => [formatFlags(option), describeInput(option)]),
    ...groups.map((group) => [`${group} options`, namesOf(group).join(", ")]),
  ];
  return rows.length === 0
    ? []
    : [{ kind: "table", columns: [{ name: "option" }, { name: "meaning" }], rows }];
}

const formatFlags = ({ flag, short, kind }: OptionEntry): string =>
  `${short === undefined ? "" : `${short}, `}${kind === "switch" ? flag : `${flag} <${kind}>`}`;

/** As in `limit each request; default: 60s`. */
const describeInput = (input: Partial<OptionEntry>): string =>
  [
    input.summary,
    ...(input.choices ? [`choices: ${input.choices.join(", ")}`] : []),
    ...(input.default === undefined ? [] : [`default: ${input.default}`]),
    ...(input.variable === undefined ? [] : [`variable: ${input.variable}`]),
    ...(input.required ? ["required"] : []),
    ...(input.repeats ? ["repeatable"] : []),
  ].join("; ");
