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

/** The aliases of one canonical path: as the interface prints them (§4), with the operations of each. */
const aliasesOf = (
  family: string,
  canonicalPath: string,
  rows: readonly Omit<BrokerAlias, "family" | "canonicalPath">[],
): readonly BrokerAlias[] => rows.map((row) => ({ ...row, family, canonicalPath }));

const LONG_TERM = { lifecycle: "long_term" } as const;
const WITH_VERB = { ...LONG_TERM, hasVerb: true } as const;
const MIGRATION_ONLY = { lifecycle: "migration_only" } as const;

export const BROKER_ALIASES: readonly BrokerAlias[] = [
  ...aliasesOf("onboarding", "/v1/partner-organizations/{partnerOrgId}", [
    { path: "/broker/onboard", ...MIGRATION_ONLY, operations: ["orgs.onboard"] },
    { path: "/broker/v1/onboard", ...LONG_TERM, operations: ["orgs.onboard"] },
  ]),
  ...aliasesOf("webhooks", "/v1/webhooks/endpoints", [
    { path: "/broker/v1/webhooks/register", ...LONG_TERM, operations: ["webhooks.create"] },
  ]),
  ...aliasesOf("clients", "/v1/clients", [
    { path: "/broker/v1/clients", ...WITH_VERB, operations: ["clients.create", "clients.list"] },
  ]),
  ...aliasesOf("portfolio_scans", "/v1/portfolio-scans", [
    { path: "/broker/v1/portfolio/scan", ...LONG_TERM, operations: ["scans.create"] },
    {
      path: "/broker/v1/portfolio/delta-scan",
      ...MIGRATION_ONLY,
      operations: ["scans.create"],
      fills: { mode: "delta" },
    },
  ]),
  ...aliasesOf("portfolio_scans", "/v1/portfolio-scans/{scanId}", [
    { path: "/broker/v1/portfolio/scan/{scanId}", ...WITH_VERB, operations: ["scans.get"] },
  ]),
  ...aliasesOf("portfolio_scans", "/v1/portfolio-scans/{scanId}/summary", [
    { path: "/broker/v1/portfolio/summary", ...MIGRATION_ONLY, operations: ["scans.summary"] },
  ]),
  ...aliasesOf("notifications", "/v1/notifications", [
    { path: "/broker/v1/notifications", ...WITH_VERB, operations: ["notifications.create"] },
  ]),
  ...aliasesOf("revenue", "/v1/revenue/ledger", [
    { path: "/broker/v1/revenue/ledger", ...WITH_VERB, operations: ["revenue.ledger"] },
  ]),
  ...aliasesOf("revenue", "/v1/revenue/dashboard", [
    { path: "/broker/v1/revenue/dashboard", ...WITH_VERB, operations: ["revenue.dashboard"] },
  ]),
  ...aliasesOf("claims", "/v1/claims", [
    { path: "/broker/v1/claims", ...WITH_VERB, operations: ["claims.create", "claims.list"] },
  ]),
  ...aliasesOf("offers", "/v1/offers", [
    { path: "/broker/v1/offers", ...WITH_VERB, operations: ["offers.create", "offers.list"] },
  ]),
  ...aliasesOf("litigation", "/v1/litigation/enroll", [
    { path: "/broker/v1/litigation/enroll", ...WITH_VERB, operations: ["litigation.enroll"] },
  ]),
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
