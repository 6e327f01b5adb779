import { assumed, documented, type SourcedBasis } from "./labels.ts";
import type { Operation } from "./operations/operation.ts";
import type { OperationId } from "./operations/operations.ts";

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
  readonly operations: readonly OperationId[];
  /** Whether the words of its row imply the methods: create and list, read, detail, creates, enrolls. */
  readonly hasVerb?: boolean;
  /** Fields of the canonical request that the alias implies; its own payloads do not have them. Assumed. */
  readonly fills?: Readonly<Record<string, string>>;
}

/** As the interface prints it (§4), with the operations and filled fields of each alias. */
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
    hasVerb: true,
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
    hasVerb: true,
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
    hasVerb: true,
  },
  {
    path: "/broker/v1/revenue/ledger",
    canonicalPath: "/v1/revenue/ledger",
    family: "revenue",
    lifecycle: "long_term",
    operations: ["revenue.ledger"],
    hasVerb: true,
  },
  {
    path: "/broker/v1/revenue/dashboard",
    canonicalPath: "/v1/revenue/dashboard",
    family: "revenue",
    lifecycle: "long_term",
    operations: ["revenue.dashboard"],
    hasVerb: true,
  },
  {
    path: "/broker/v1/claims",
    canonicalPath: "/v1/claims",
    family: "claims",
    lifecycle: "long_term",
    operations: ["claims.create", "claims.list"],
    hasVerb: true,
  },
  {
    path: "/broker/v1/offers",
    canonicalPath: "/v1/offers",
    family: "offers",
    lifecycle: "long_term",
    operations: ["offers.create", "offers.list"],
    hasVerb: true,
  },
  {
    path: "/broker/v1/litigation/enroll",
    canonicalPath: "/v1/litigation/enroll",
    family: "litigation",
    lifecycle: "long_term",
    operations: ["litigation.enroll"],
    hasVerb: true,
  },
];

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
export const aliasMethodLabel = ({ hasVerb }: BrokerAlias): SourcedBasis =>
  hasVerb ? documented("alias.verbs") : assumed("aliases");

export const findAliases = (operation: string): readonly BrokerAlias[] =>
  BROKER_ALIASES.filter(({ operations }) => operations.some((id) => id === operation));

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
