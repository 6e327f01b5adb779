import { ENVIRONMENTS, type Environment } from "../environments.ts";
import { groupBy } from "../group-by.ts";
import { formatIfTime } from "../times.ts";
/** The environments whose events an endpoint receives (interface §2). */
export const ENVIRONMENT_SCOPES = [...ENVIRONMENTS, "all"] as const;

export type EnvironmentScope = (typeof ENVIRONMENT_SCOPES)[number];

export const isInScope = (scope: EnvironmentScope, environment: Environment): boolean =>
  scope === "all" || scope === environment;

/** Interface §3; revoked is final (product.md §5). */
export const ENDPOINT_STATES = ["active", "disabled", "revoked"] as const;

export type EndpointState = (typeof ENDPOINT_STATES)[number];

/** Why the sandbox disables an endpoint (product.md §5). */
export const DISABLE_REASONS = ["receiver_gone", "no_success", "disabled_by_hand"] as const;

/** RFC 9110 §15.5.11: the receiver wants no more requests. */
export const GONE = 410;

/** The label of an endpoint that is disabled while its listener does not run: its secret is in a file, which the next one names. */
export const KEPT_LISTENER_LABEL = "claims listen --secret-file";

const RECEIVER_ACTS = "the receiver must act: let it answer 200 to 299, then";

const REASON_TEXTS: ReadonlyMap<unknown, readonly [why: string, action: string]> = new Map([
  ["receiver_gone", [`its receiver answered ${GONE} (Gone)`, RECEIVER_ACTS]],
  ["no_success", ["its receiver accepted no delivery for five days", RECEIVER_ACTS]],
  ["disabled_by_hand", ["a person or a program disabled it", "whoever did that must act:"]],
]);

/** Since when and why, and who must act. No route of the service makes the endpoint active again (interface §3). */
export function describeDisabled(endpoint: Readonly<Record<string, unknown>>): string {
  const { id, label, url, disabledAt, disabledReason } = endpoint;
  const given = typeof disabledReason === "string" ? disabledReason : "the service does not say why";
  const [why, action] = REASON_TEXTS.get(given) ?? [given, "ask who runs the service, or"];
  const since = typeof disabledAt === "string" ? ` since ${formatIfTime(disabledAt)}` : "";
  if (given === "disabled_by_hand" && label === KEPT_LISTENER_LABEL)
    return `endpoint ${id} (${url}) is disabled${since}: \`claims webhooks listen\` disabled it when it ended; start it again with the same --secret-file`;
  return `endpoint ${id} (${url}) is disabled${since}: ${why}; ${action} register it again (\`claims webhooks create\`)`;
}

type EndpointRecord = Readonly<Record<string, unknown>>;

const timeOf = (value: unknown): number => Date.parse(String(value)) || 0;

/** By the times that the record carries (interface §2), under the names of the sandbox. */
export const isFailing = ({ status, lastFailureAt, lastSuccessAt }: EndpointRecord): boolean =>
  status === "active" && timeOf(lastFailureAt) > timeOf(lastSuccessAt);

export const describeFailing = ({ id, url, lastFailureAt }: EndpointRecord): string =>
  `endpoint ${id} (${url}) failed at ${lastFailureAt}: \`claims webhooks deliveries --endpoint ${id}\` shows why`;

/** Sentences about active endpoints that get the same event at the same URL: the receiver gets it from each of them. */
export function describeSharedUrls(endpoints: readonly EndpointRecord[]): readonly string[] {
  const active = endpoints.filter(({ status, url }) => status === "active" && typeof url === "string");
  return [...groupBy(active, ({ url }) => url)].flatMap(([url, sharing]) => {
    const events = sharing.flatMap(({ subscribedEvents }) =>
      Array.isArray(subscribedEvents) ? [...new Set(subscribedEvents.map(String))] : [],
    );
    const repeated = new Set(events.filter((event, index) => events.indexOf(event) !== index));
    if (repeated.size === 0) return [];
    const ids = sharing.map(({ id }) => id).join(" and ");
    return `${url} gets ${[...repeated].join(", ")} from each of the endpoints ${ids}, signed with different secrets`;
  });
}

/** Active endpoints of one partner: an event may be delivered to each of them. */
export const MAX_ACTIVE_ENDPOINTS = 100;

export const isEndpointState = (word: unknown): word is EndpointState =>
  ENDPOINT_STATES.some((state) => state === word);

/** Characters of a signing secret that output may show: `whsec_` and six more (product.md §5). */
const SECRET_PREFIX_LENGTH = 12;

/** Matches a stored secret to its endpoint without revealing it (interface §2). */
export const secretPrefixOf = (secret: string): string => secret.slice(0, SECRET_PREFIX_LENGTH);
