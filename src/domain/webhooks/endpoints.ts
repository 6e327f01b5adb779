/** Which environment's events an endpoint gets (interface §2). */
export const ENVIRONMENT_SCOPES = ["sandbox", "production", "all"] as const;

export type EnvironmentScope = (typeof ENVIRONMENT_SCOPES)[number];

/** Whether an endpoint of this scope gets events of an environment. */
export const isInScope = (scope: EnvironmentScope, environment: "sandbox" | "production"): boolean =>
  scope === "all" || scope === environment;

/** Interface §3; revoked is final (product.md §5). */
export const ENDPOINT_STATES = ["active", "disabled", "revoked"] as const;

export type EndpointState = (typeof ENDPOINT_STATES)[number];

export const isEndpointState = (word: unknown): word is EndpointState =>
  ENDPOINT_STATES.some((state) => state === word);

/** Characters of a signing secret that may be shown (product.md §5): `whsec_` and six more. */
const SECRET_PREFIX_LENGTH = 12;

/** What matches a stored secret to its endpoint without telling it (interface §2). */
export const secretPrefixOf = (secret: string): string => secret.slice(0, SECRET_PREFIX_LENGTH);
