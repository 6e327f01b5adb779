import { isRecord } from "../../domain/json.ts";
import type { Context } from "../context.ts";
import { refuseReplacedInput } from "../files/replaced-input.ts";
import type { AnyCommand } from "./command.ts";
import { formatLongFlag, groupOptions, type OptionSpecs } from "./options.ts";

/** The kinds of arguments and of values of options that name files. */
const FILE_KINDS: readonly string[] = ["file", "files", "from", "kind=file", "source", "to"];

type Values = Readonly<Record<string, unknown>>;

/**
 * Refuses outputs that would replace another file of the command line. A command that reads files which the command line
 * does not name, such as those of a folder, checks them itself.
 * @throws ClaimsError `duplicate_file`
 */
export async function refuseReplacedInputs(
  context: Context,
  spec: AnyCommand,
  { args, options }: { readonly args: Values; readonly options: Values },
): Promise<void> {
  const specs = groupOptions(spec).flatMap(([, group]) => Object.entries(group as OptionSpecs));
  for (const [output, { isOutput }] of specs) {
    if (!isOutput || options[output] === undefined) continue;
    const inputs = [
      ...(spec.arguments ?? []).filter(({ name }) => FILE_KINDS.includes(name)).map(({ name }) => args[name]),
      ...specs
        .filter(
          ([key, { mayBeOutput, value = "" }]) =>
            key !== output && !mayBeOutput && FILE_KINDS.includes(value),
        )
        .map(([key]) => options[key]),
    ].flatMap(listPaths);
    for (const path of listPaths(options[output]))
      await refuseReplacedInput(context, formatLongFlag(output), path, inputs);
  }
}

function listPaths(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(listPaths);
  const path = isRecord(value) ? value.file : value;
  return typeof path === "string" ? [path] : [];
}
