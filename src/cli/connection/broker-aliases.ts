import { appendFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { AliasUse } from "../../client/client-options.ts";
import { BROKER_ALIASES, type BrokerAlias, findAlias } from "../../contract/aliases.ts";
import { notFoundError, rejectedError } from "../../domain/errors.ts";
import { nullable, object, parseJsonAs, string, time } from "../../domain/shape.ts";
import { findClosest } from "../../domain/text.ts";
import type { Context } from "../context.ts";
import { cannotRead, describeFileError } from "../files/file-errors.ts";
import { createFolder, resolveStateFolder } from "../files/folders.ts";
import { readRegularFile, refuseSpecialFile } from "../files/regular-file.ts";
import { printMessage } from "../output/stderr.ts";
import { readConfig } from "./config.ts";

export function requireAlias(path: string): BrokerAlias {
  const found = BROKER_ALIASES.find((alias) => alias.path === path);
  if (found) return found;
  const paths = BROKER_ALIASES.map((alias) => alias.path);
  const suggestion = findAlias(path)?.path ?? findClosest(path, paths);
  throw notFoundError("unknown_alias", `no alias ${path}`, {
    hint: suggestion ? `did you mean ${suggestion}?` : "`claims aliases list` shows the aliases",
  });
}

/** The sunset date of an alias, YYYY-MM-DD, if one is set. */
export const findSunset = (sunsets: Readonly<Record<string, string>> | undefined, { path }: BrokerAlias) =>
  sunsets && Object.hasOwn(sunsets, path) ? (sunsets[path] ?? null) : null;

/** Warns about a request over a migration alias, and refuses one after the sunset date (product.md §4, interface §9.2). */
export async function checkSunset(context: Context, path: string): Promise<void> {
  const alias = findAlias(path);
  if (!alias) return;
  const sunset = findSunset((await readConfig(context)).sunsets, alias);
  const today = new Date(context.now()).toISOString().slice(0, 10);
  const advice = `use ${alias.canonicalPath}`;
  if (sunset !== null && sunset <= today) {
    throw rejectedError("alias_sunset", `the sunset of ${alias.path} was ${sunset}`, {
      hint: `${advice}, or set a later date: claims aliases sunset ${alias.path} YYYY-MM-DD`,
    });
  }
  if (sunset !== null) printMessage(context, `warning: the sunset of ${alias.path} is ${sunset}: ${advice}`);
  else if (alias.lifecycle === "migration_only") {
    const warning = `warning: ${alias.path} is migration_only: ${advice}`;
    printMessage(context, `${warning}, and set a date with \`claims aliases sunset\``);
  }
}

interface LoggedAliasUse extends AliasUse {
  /** RFC 3339. */
  readonly at: string;
  readonly baseUrl: string;
}

const useShape = object({
  alias: string,
  at: time,
  canonicalPath: nullable(string),
  lifecycle: nullable(string),
});

const logPath = (context: Context): string => join(resolveStateFolder(context), "aliases.ndjson");

/** Logs a use. A failure is a warning, because the request was sent. */
export async function logAliasUse(context: Context, use: LoggedAliasUse): Promise<void> {
  const path = logPath(context);
  try {
    await refuseSpecialFile(path);
    await createFolder(dirname(path), 0o700);
    // One write, because other processes append too.
    await appendFile(path, `${JSON.stringify(use)}\n`, { mode: 0o600 });
  } catch (error) {
    printMessage(context, `warning: cannot log the use of an alias: ${describeFileError(error)}`);
  }
}

export async function readAliasLog(context: Context): Promise<LoggedAliasUse[]> {
  const path = logPath(context);
  const text = await readRegularFile(path).catch(cannotRead(path, "remove it, or make it readable"));
  const lines = text?.split("\n") ?? [];
  return lines.flatMap((line) => parseJsonAs<LoggedAliasUse>(line, useShape) ?? []);
}
