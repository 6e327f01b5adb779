import type { Operation } from "./operation.ts";

/** Whether an alias stays, or is there only until its users have moved (interface §4, §9.2). */
export type AliasLifecycle = "long_term" | "migration_only";

/** One row of the broker alias map (interface §4). */
export interface BrokerAlias {
  /** Template, as printed in the map. */
  readonly path: string;
  readonly canonicalPath: string;
  readonly family: string;
  readonly lifecycle: AliasLifecycle;
  /** Ids of the operations that it forwards to. Which they are is assumed: the map shows no methods. */
  readonly operations: readonly string[];
  /** Fields of the canonical request that the alias stands for: its own payloads do not have them. Assumed. */
  readonly fills?: Readonly<Record<string, string>>;
}

/** The whole map, in the order of the interface. */
export const BROKER_ALIASES: readonly BrokerAlias[] = [
  {
    path: "/broker/onboard",
    canonicalPath: "/v1/partner-organizations/{partnerOrgId}",
    family: "onboarding",
    lifecycle: "migration_only",
    operations: ["orgs.onboard"],
  },
  {
    path: "/broker/v1/onboard",
    canonicalPath: "/v1/partner-organizations/{partnerOrgId}",
    family: "onboarding",
    lifecycle: "long_term",
    operations: ["orgs.onboard"],
  },
  {
    path: "/broker/v1/webhooks/register",
    canonicalPath: "/v1/webhooks/endpoints",
    family: "webhooks",
    lifecycle: "long_term",
    operations: ["webhooks.create"],
  },
  {
    path: "/broker/v1/clients",
    canonicalPath: "/v1/clients",
    family: "clients",
    lifecycle: "long_term",
    operations: ["clients.create", "clients.list"],
  },
  {
    path: "/broker/v1/portfolio/scan",
    canonicalPath: "/v1/portfolio-scans",
    family: "portfolio_scans",
    lifecycle: "long_term",
    operations: ["scans.create"],
  },
  {
    path: "/broker/v1/portfolio/delta-scan",
    canonicalPath: "/v1/portfolio-scans",
    family: "portfolio_scans",
    lifecycle: "migration_only",
    operations: ["scans.create"],
    fills: { mode: "delta" },
  },
  {
    path: "/broker/v1/portfolio/scan/{scanId}",
    canonicalPath: "/v1/portfolio-scans/{scanId}",
    family: "portfolio_scans",
    lifecycle: "long_term",
    operations: ["scans.get"],
  },
  {
    path: "/broker/v1/portfolio/summary",
    canonicalPath: "/v1/portfolio-scans/{scanId}/summary",
    family: "portfolio_scans",
    lifecycle: "migration_only",
    operations: ["scans.summary"],
  },
  {
    path: "/broker/v1/notifications",
    canonicalPath: "/v1/notifications",
    family: "notifications",
    lifecycle: "long_term",
    operations: ["notifications.create"],
  },
  {
    path: "/broker/v1/revenue/ledger",
    canonicalPath: "/v1/revenue/ledger",
    family: "revenue",
    lifecycle: "long_term",
    operations: ["revenue.ledger"],
  },
  {
    path: "/broker/v1/revenue/dashboard",
    canonicalPath: "/v1/revenue/dashboard",
    family: "revenue",
    lifecycle: "long_term",
    operations: ["revenue.dashboard"],
  },
  {
    path: "/broker/v1/claims",
    canonicalPath: "/v1/claims",
    family: "claims",
    lifecycle: "long_term",
    operations: ["claims.create", "claims.list"],
  },
  {
    path: "/broker/v1/offers",
    canonicalPath: "/v1/offers",
    family: "offers",
    lifecycle: "long_term",
    operations: ["offers.create", "offers.list"],
  },
  {
    path: "/broker/v1/litigation/enroll",
    canonicalPath: "/v1/litigation/enroll",
    family: "litigation",
    lifecycle: "long_term",
    operations: ["litigation.enroll"],
  },
];

/** What alias traffic carries, for clients to log (interface §4). */
export const ALIAS_HEADERS = {
  alias: "X-Service-Broker-Alias",
  canonicalPath: "X-Service-Canonical-Path",
  lifecycle: "X-Service-Compatibility-Lifecycle",
} as const;

/**
 * The ids of the canonical path that the alias's own path has no place for. A body brings them along, or the query where
 * there is no body (product.md §5).
 */
export const missingPathParams = ({ path, canonicalPath }: BrokerAlias): readonly string[] =>
  [...canonicalPath.matchAll(/\{(\w+)\}/g)].flatMap(([placeholder, name = ""]) =>
    path.includes(placeholder) ? [] : [name],
  );

/** An alias takes the method of its operation, and POST for PUT (product.md §5). */
export const aliasMethods = ({ method }: Pick<Operation, "method">): readonly Operation["method"][] =>
  method === "PUT" ? [method, "POST"] : [method];

/** The aliases of one operation. */
export const findAliases = (operation: string): readonly BrokerAlias[] =>
  BROKER_ALIASES.filter(({ operations }) => operations.includes(operation));

/** An access log asks for many a path. */
const ALIAS_PATTERNS = BROKER_ALIASES.map(
  (alias) => [new RegExp(`^${alias.path.replace(/\{\w+\}/g, "[^/]+")}$`), alias] as const,
);

/** The alias whose template a path follows; a query behind the path does not matter. */
export function findAlias(path: string): BrokerAlias | undefined {
  const [pathname = ""] = path.split("?");
  return ALIAS_PATTERNS.find(([pattern]) => pattern.test(pathname))?.[1];
}
