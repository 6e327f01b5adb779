import { ENVIRONMENTS, type Environment } from "../environments.ts";
/** The environments whose events an endpoint receives (interface §2). */
export const ENVIRONMENT_SCOPES = [...ENVIRONMENTS, "all"] as const;

export type EnvironmentScope = (typeof ENVIRONMENT_SCOPES)[number];

export const isInScope = (scope: EnvironmentScope, environment: Environment): boolean =>
  scope === "all" || scope === environment;

/** Interface §3; revoked is final (product.md §5). */
export const ENDPOINT_STATES = ["active", "disabled", "revoked"] as const;

export type EndpointState = (typeof ENDPOINT_STATES)[number];

/** Active endpoints of one partner: an event may be delivered to each of them. */
export const MAX_ACTIVE_ENDPOINTS = 100;

export const isEndpointState = (word: unknown): word is EndpointState =>
  ENDPOINT_STATES.some((state) => state === word);

/** Characters of a signing secret that output may show: `whsec_` and six more (product.md §5). */
const SECRET_PREFIX_LENGTH = 12;

/** Matches a stored secret to its endpoint without revealing it (interface §2). */
export const secretPrefixOf = (secret: string): string => secret.slice(0, SECRET_PREFIX_LENGTH);
