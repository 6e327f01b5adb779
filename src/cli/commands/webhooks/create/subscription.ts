import type { Environment } from "../../../../domain/environments.ts";
import { usageError } from "../../../../domain/errors.ts";
import { isLoopback } from "../../../../domain/net.ts";
import { isLinkLocal, isPrivateHost } from "../../../../domain/networks.ts";
import { findClosest } from "../../../../domain/text.ts";
import type { EnvironmentScope } from "../../../../domain/webhooks/endpoints.ts";
import { EVENT_TYPES, isEventType } from "../../../../domain/webhooks/event-types.ts";
import { isLoopbackUrl } from "../../../connection/base-url.ts";
import type { Connection } from "../../../connection/connection.ts";

/** @throws ClaimsError `usage` for a URL that no service can deliver to */
export function parseReceiverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.username || url?.password)
    throw usageError("option_invalid", "the URL contains a user name or a password", {
      hint: "leave them out: everyone who reads the list sees them; the signature proves who sends",
    });
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw usageError("option_invalid", "the URL of the receiver is not an http or https URL", {
    hint: "write the complete URL, such as https://hooks.example.com/claims",
  });
}

interface Subscription {
  readonly url: string;
  readonly subscribedEvents: readonly string[];
  readonly environmentScope: EnvironmentScope;
}

/** Warnings about valid values that are probably not meant. */
export const findWarnings = (subscription: Subscription, connection: Connection): readonly string[] => [
  ...subscription.subscribedEvents.filter((name) => !isEventType(name)).map(describeUnpublishedEvent),
  ...findHostWarnings(new URL(subscription.url), subscription.environmentScope, connection),
];

/** Interface §6, rule 3. */
function describeUnpublishedEvent(name: string): string {
  const closest = findClosest(name, EVENT_TYPES);
  const advice = closest === null ? `use ${EVENT_TYPES.join(", ")}` : `did you mean ${closest}?`;
  return `${name} is not a published event, and no documentation says that the service sends it; ${advice}`;
}

const TEST_HOST = /(^|[.-])(dev|development|staging|stage|test|testing|qa|uat|sandbox|preview)\d*([.-]|$)/;
const PRODUCTION_HOST = /(^|[.-])(prod|production|live)\d*([.-]|$)/;

function environmentOfHost(hostname: string): Environment | null {
  const isTest = TEST_HOST.test(hostname);
  const isProduction = PRODUCTION_HOST.test(hostname);
  if (isTest === isProduction) return null;
  return isTest ? "sandbox" : "production";
}

/** Interface §6, rule 2: the scope should be the environment of the receiver. */
function findHostWarnings({ hostname, protocol }: URL, scope: EnvironmentScope, { baseUrl }: Connection) {
  const isSandbox = isLoopbackUrl(baseUrl);
  if (isLinkLocal(hostname) && isSandbox)
    return [`${hostname} is a link-local address, and a sandbox never delivers there`];
  const events = scope === "all" ? "events of both environments" : `${scope}'s events`;
  if (isLoopback(hostname) || isPrivateHost(hostname))
    return scope === "sandbox"
      ? []
      : [`${hostname} is on this machine or a private network, and gets ${events}; use --scope sandbox`];
  const environment = environmentOfHost(hostname);
  const warnings: readonly (readonly [isShown: boolean, warning: string])[] = [
    [protocol === "http:", `deliveries to ${hostname} are not encrypted; use https`],
    [isSandbox, `a sandbox delivers to ${hostname} only if started with --allow-public-webhooks`],
    [
      environment !== null && environment !== scope,
      `${hostname} gets ${events}; its name suggests --scope ${environment}`,
    ],
  ];
  return warnings.flatMap(([isShown, warning]) => (isShown ? [warning] : []));
}
