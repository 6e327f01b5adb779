import { type BrokerAlias, findAliases } from "../../contract/aliases.ts";
import { usageError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import type { OptionSpecs, OptionValues } from "../framework/options.ts";
import { allowSunsetOption } from "../framework/options.ts";
import { checkSunset } from "./alias-sunset.ts";

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
  if (!alias) throw usageError("no_alias", `${operation} has no alias`, { hint: "leave out --via-alias" });
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
