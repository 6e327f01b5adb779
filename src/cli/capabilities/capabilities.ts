import { PROBLEMS } from "../../contract/problems.ts";
import { ERROR_CODES, type ErrorCodeText, type ErrorKind } from "../../domain/error-codes.ts";
import {
  type Capabilities,
  type CommandEntry,
  type OptionEntry,
  schemaUrl,
} from "../documents/capabilities.ts";
import { EXIT_CODE_BY_KIND, EXIT_CODES } from "../exit-codes.ts";
import { ENVIRONMENT_VARIABLES } from "../framework/environment-variables.ts";

/** What a program needs to call the command line, read from the tables that define it, as are help and completion. */
export function describeCapabilities(version: string, commands: readonly CommandEntry[]): Capabilities {
  return {
    $schema: schemaUrl(version),
    version,
    ...shareOptions(commands),
    exitCodes: Object.entries(EXIT_CODES).map(([code, meaning]) => ({ code: Number(code), meaning })),
    environment: Object.entries(ENVIRONMENT_VARIABLES).map(([name, meaning]) => ({ name, meaning })),
    errors: Object.entries(ERROR_CODES).flatMap(([kind, codes]) =>
      Object.entries<ErrorCodeText>(codes).map(([code, [meaning, fix]]) => ({
        code,
        kind,
        exitCode: EXIT_CODE_BY_KIND[kind as ErrorKind],
        meaning,
        fix,
      })),
    ),
    problems: Object.entries(PROBLEMS).map(([code, { status, title }]) => ({ code, status, title })),
  };
}

/** The commands with the options that several of them have alike named once: of a flag, what most of them mean by it. */
function shareOptions(commands: readonly CommandEntry[]): Pick<Capabilities, "commands" | "options"> {
  const counts = new Map<string, { option: OptionEntry; count: number }>();
  for (const option of commands.flatMap(({ options }) => options)) {
    const text = JSON.stringify(option);
    counts.set(text, { option, count: (counts.get(text)?.count ?? 0) + 1 });
  }
  const shared = new Map<string, string>();
  for (const [text, { option, count }] of [...counts].sort(([, a], [, b]) => b.count - a.count))
    if (count > 1 && !shared.has(option.flag)) shared.set(option.flag, text);
  const isShared = (option: OptionEntry) => shared.get(option.flag) === JSON.stringify(option);
  return {
    commands: commands.map(({ options, ...command }) => ({
      ...command,
      options: options.map(({ flag }) => flag),
      ownOptions: options.filter((option) => !isShared(option)),
    })),
    options: [...shared.values()].map((text) => JSON.parse(text) as OptionEntry),
  };
}
