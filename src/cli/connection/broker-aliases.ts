import { BROKER_ALIASES, type BrokerAlias, findAlias, findAliases } from "../../contract/aliases.ts";
import { notFoundError, rejectedError, usageError } from "../../domain/errors.ts";
import { findClosest } from "../../domain/text.ts";
import type { Context } from "../context.ts";
import { allowSunsetOption, type OptionSpecs, type OptionValues } from "../framework/options.ts";
import { printMessage } from "../output/stderr.ts";
import { readConfig } from "./config.ts";

export const viaAliasOptions = {
  viaAlias: { help: "send the request over the broker alias instead of the canonical path" },
  ...allowSunsetOption,
} as const satisfies OptionSpecs;

export async function chooseAlias(
  context: Context,
  operation: string,
  options: OptionValues<typeof viaAliasOptions>,
  body: object = {},
): Promise<BrokerAlias | undefined> {
  if (!options.viaAlias) return undefined;
  const alias = findMatchingAlias(findAliases(operation), body);
  if (!alias)
    throw usageError("option_invalid", `${operation} has no alias`, {
      option: "--via-alias",
      hint: "leave out --via-alias",
    });
  await checkSunset(context, alias.path, options);
  return alias;
}

/** Prefers the alias that implies these body fields, then a permanent one. */
function findMatchingAlias(aliases: readonly BrokerAlias[], body: object): BrokerAlias | undefined {
  const sent = new Map<string, unknown>(Object.entries(body));
  const isImplied = ({ fills }: BrokerAlias) =>
    fills !== undefined && Object.entries(fills).every(([name, value]) => sent.get(name) === value);
  const others = aliases.filter(({ fills }) => !fills);
  return aliases.find(isImplied) ?? others.find(({ lifecycle }) => lifecycle === "long_term") ?? others[0];
}

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
export async function checkSunset(
  context: Context,
  path: string,
  { allowSunset = false }: { readonly allowSunset: boolean | undefined },
): Promise<void> {
  const alias = findAlias(path);
  if (!alias) return;
  const sunset = findSunset((await readConfig(context)).sunsets, alias);
  const today = new Date(context.now()).toISOString().slice(0, 10);
  const advice = `use ${alias.canonicalPath}`;
  if (sunset !== null && sunset <= today && !allowSunset) {
    throw rejectedError("alias_sunset", `the sunset of ${alias.path} was ${sunset}`, {
      hint: `${advice}, or give --allow-sunset`,
    });
  }
  if (sunset !== null) printMessage(context, `warning: the sunset of ${alias.path} is ${sunset}: ${advice}`);
  else if (alias.lifecycle === "migration_only") {
    const warning = `warning: ${alias.path} is migration_only: ${advice}`;
    printMessage(context, `${warning}, and set a date with \`claims aliases sunset\``);
  }
}
