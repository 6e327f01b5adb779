import { assumed, documented, type Label } from "./labels.ts";
import type { Operation } from "./operations/operation.ts";

/** Whether an alias is permanent, or exists only until its users have migrated (interface §4, §9.2). */
export type AliasLifecycle = "long_term" | "migration_only";

/** One row of the broker alias map (interface §4). */
export interface BrokerAlias {
  /** Template, as printed in the map. */
  readonly path: string;
  readonly canonicalPath: string;
  readonly family: string;
  readonly lifecycle: AliasLifecycle;
  /** The ids of the operations that it forwards to. */
  readonly operations: readonly string[];
  /** Whether the words of its row imply the methods: create and list, read, detail, creates, enrolls. */
  readonly hasVerb: boolean;
  /** Fields of the canonical request that the alias implies; its own payloads do not have them. Assumed. */
  readonly fills?: Readonly<Record<string, string>>;
}

/** As the interface prints it, with the verb of its words, and the operations and filled fields of each alias. */
const ALIAS_MAP = `
/broker/onboard                    /v1/partner-organizations/{partnerOrgId} onboarding      migration_only -           orgs.onboard
/broker/v1/onboard                 /v1/partner-organizations/{partnerOrgId} onboarding      long_term      -           orgs.onboard
/broker/v1/webhooks/register       /v1/webhooks/endpoints                   webhooks        long_term      -           webhooks.create
/broker/v1/clients                 /v1/clients                              clients         long_term      create+list clients.create,clients.list
/broker/v1/portfolio/scan          /v1/portfolio-scans                      portfolio_scans long_term      -           scans.create
/broker/v1/portfolio/delta-scan    /v1/portfolio-scans                      portfolio_scans migration_only -           scans.create  mode=delta
/broker/v1/portfolio/scan/{scanId} /v1/portfolio-scans/{scanId}             portfolio_scans long_term      detail      scans.get
/broker/v1/portfolio/summary       /v1/portfolio-scans/{scanId}/summary     portfolio_scans migration_only -           scans.summary
/broker/v1/notifications           /v1/notifications                        notifications   long_term      creates     notifications.create
/broker/v1/revenue/ledger          /v1/revenue/ledger                       revenue         long_term      read        revenue.ledger
/broker/v1/revenue/dashboard       /v1/revenue/dashboard                    revenue         long_term      read        revenue.dashboard
/broker/v1/claims                  /v1/claims                               claims          long_term      create+list claims.create,claims.list
/broker/v1/offers                  /v1/offers                               offers          long_term      create+list offers.create,offers.list
/broker/v1/litigation/enroll       /v1/litigation/enroll                    litigation      long_term      enrolls     litigation.enroll
`;

export const BROKER_ALIASES: readonly BrokerAlias[] = ALIAS_MAP.trim()
  .split("\n")
  .map((row) => {
    const [path = "", canonicalPath = "", family = "", lifecycle, verb, operations = "", fills] =
      row.split(/ +/);
    return {
      path,
      canonicalPath,
      family,
      lifecycle: lifecycle as AliasLifecycle,
      operations: operations.split(","),
      hasVerb: verb !== "-",
      ...(fills && { fills: Object.fromEntries(new URLSearchParams(fills)) }),
    };
  });

/** The headers of alias traffic, for clients to log (interface §4). */
export const ALIAS_HEADERS = {
  alias: "X-Service-Broker-Alias",
  canonicalPath: "X-Service-Canonical-Path",
  lifecycle: "X-Service-Compatibility-Lifecycle",
} as const;

/** The ids of the canonical path that the alias's path lacks. The body has them, or the query without a body (product.md §5). */
export const missingPathParams = ({ path, canonicalPath }: BrokerAlias): readonly string[] =>
  [...canonicalPath.matchAll(/\{(\w+)\}/g)].flatMap(([placeholder, name = ""]) =>
    path.includes(placeholder) ? [] : [name],
  );

/** An alias takes the method of its operation, and POST for PUT (product.md §5). */
export const aliasMethods = ({ method }: Pick<Operation, "method">): readonly Operation["method"][] =>
  method === "PUT" ? [method, "POST"] : [method];

/** The map has no methods; the words of a row may imply them (interface §4). */
export const aliasMethodLabel = ({ hasVerb }: BrokerAlias): Label =>
  hasVerb ? documented("alias.verbs") : assumed("aliases");

export const findAliases = (operation: string): readonly BrokerAlias[] =>
  BROKER_ALIASES.filter(({ operations }) => operations.includes(operation));

/** Compiled once, because the alias log has many paths. */
const ALIAS_PATTERNS = BROKER_ALIASES.map(
  (alias) => [new RegExp(`^${alias.path.replace(/\{\w+\}/g, "[^/]+")}$`), alias] as const,
);

/** The alias whose template a path matches; ignores a query after the path. */
export function findAlias(path: string): BrokerAlias | undefined {
  const [encoded = ""] = path.split("?");
  // An encoded letter is the same letter (RFC 3986 §6.2.2.2).
  const pathname = encoded.replace(/%[2-7][\da-f]/gi, (code) => {
    const character = decodeURIComponent(code);
    return /[\w.~-]/.test(character) ? character : code;
  });
  return ALIAS_PATTERNS.find(([pattern]) => pattern.test(pathname))?.[1];
}
