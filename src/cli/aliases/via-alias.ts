import { aliasesOf, type BrokerAlias } from "../../contract/aliases.ts";
import { ClaimsError } from "../../domain/errors.ts";
import type { OptionSpecs, OptionValues } from "../command.ts";
import type { Context } from "../context.ts";
import { allowSunset, guardSunset } from "./sunset.ts";

/** For the command of an operation that has an alias. */
export const viaAlias = {
  viaAlias: { help: "send it over the broker alias instead of the canonical path" },
  ...allowSunset,
} as const satisfies OptionSpecs;

/**
 * The alias to send over, where the command line asks for it and its sunset has not come.
 *
 * @param body what is sent
 */
export async function aliasFor(
  context: Context,
  operation: string,
  options: OptionValues<typeof viaAlias>,
  body: object = {},
): Promise<BrokerAlias | undefined> {
  if (!options.viaAlias) return undefined;
  const alias = aliasThatSuits(aliasesOf(operation), body);
  if (!alias)
    throw new ClaimsError("usage", "no_alias", `${operation} has no alias`, {
      hint: "leave out --via-alias",
    });
  await guardSunset(context, alias.path, options);
  return alias;
}

/** The one that stands for just that; otherwise one that stays. */
function aliasThatSuits(aliases: readonly BrokerAlias[], body: object): BrokerAlias | undefined {
  const sent = new Map<string, unknown>(Object.entries(body));
  const standsFor = ({ fills }: BrokerAlias) =>
    fills !== undefined && Object.entries(fills).every(([name, value]) => sent.get(name) === value);
  const others = aliases.filter(({ fills }) => !fills);
  return aliases.find(standsFor) ?? others.find(({ lifecycle }) => lifecycle === "long_term") ?? others[0];
}
