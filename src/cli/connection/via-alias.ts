import { type BrokerAlias, findAliases } from "../../contract/aliases.ts";
import { usageError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import type { OptionSpecs, OptionValues } from "../framework/options.ts";
import { allowSunsetOption, checkSunset } from "./alias-sunset.ts";

/** For the command of an operation that has an alias. */
export const viaAliasOptions = {
  viaAlias: { help: "send it over the broker alias instead of the canonical path" },
  ...allowSunsetOption,
} as const satisfies OptionSpecs;

/**
 * The alias to send over, where the command line asks for it and its sunset has not come.
 *
 * @param body what is sent
 */
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

/** The one that stands for just that; otherwise one that stays. */
function findMatchingAlias(aliases: readonly BrokerAlias[], body: object): BrokerAlias | undefined {
  const sent = new Map<string, unknown>(Object.entries(body));
  const isFilledBy = ({ fills }: BrokerAlias) =>
    fills !== undefined && Object.entries(fills).every(([name, value]) => sent.get(name) === value);
  const others = aliases.filter(({ fills }) => !fills);
  return aliases.find(isFilledBy) ?? others.find(({ lifecycle }) => lifecycle === "long_term") ?? others[0];
}
