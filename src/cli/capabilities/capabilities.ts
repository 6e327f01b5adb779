import { PROBLEMS } from "../../contract/problems.ts";
import { ERROR_CODES, type ErrorKind } from "../../domain/error-codes.ts";
import { type Capabilities, type CommandEntry, schemaUrl } from "../documents/capabilities.ts";
import { EXIT_CODE_BY_KIND, EXIT_CODES } from "../exit-codes.ts";
import { ENVIRONMENT_VARIABLES } from "../framework/environment-variables.ts";
import { listSharedOptions } from "./commands.ts";

/** What a program needs to call the command line, read from the tables that define it, as are help and completion. */
export function describeCapabilities(version: string, commands: readonly CommandEntry[]): Capabilities {
  return {
    $schema: schemaUrl(version),
    version,
    commands: [...commands],
    options: listSharedOptions(),
    exitCodes: Object.entries(EXIT_CODES).map(([code, meaning]) => ({ code: Number(code), meaning })),
    environment: Object.entries(ENVIRONMENT_VARIABLES).map(([name, meaning]) => ({ name, meaning })),
    errors: Object.entries(ERROR_CODES).flatMap(([kind, codes]) =>
      Object.entries<string>(codes).map(([code, meaning]) => ({
        code,
        kind,
        exitCode: EXIT_CODE_BY_KIND[kind as ErrorKind],
        meaning,
      })),
    ),
    problems: Object.entries(PROBLEMS).map(([code, { status, title }]) => ({ code, status, title })),
  };
}
