import { ClaimsError } from "../../../../domain/errors.ts";
import { isLinkLocal, isLoopback, isPrivateHost } from "../../../../domain/net.ts";
import { findClosest } from "../../../../domain/text.ts";
import type { EnvironmentScope } from "../../../../domain/webhooks/endpoints.ts";
import { EVENT_TYPES, isEventType } from "../../../../domain/webhooks/event-types.ts";
import { isLoopbackUrl } from "../../../connection/base-url.ts";
import type { Connection } from "../../../connection/connection.ts";

/** @throws ClaimsError `usage`: what no service could deliver to is not sent to one */
export function parseReceiverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.username || url?.password)
    throw new ClaimsError("usage", "invalid_url", "the URL has a user name or a password in it", {
      hint: "leave them out: whoever reads the list would see them; the signature says who sends",
    });
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new ClaimsError("usage", "invalid_url", "the address of the receiver is no http or https URL", {
    hint: "write it whole, as in https://hooks.example.com/claims",
  });
}

interface Subscription {
  readonly url: string;
  readonly subscribedEvents: readonly string[];
  readonly environmentScope: EnvironmentScope;
}

/** What is accepted, and hardly what was meant. */
export const findWarnings = (subscription: Subscription, connection: Connection): readonly string[] => [
  ...subscription.subscribedEvents.filter((name) => !isEventType(name)).map(describeUnpublishedEvent),
  ...findReachWarnings(new URL(subscription.url), subscription.environmentScope, connection),
];

/** Interface §6, rule 3. */
function describeUnpublishedEvent(name: string): string {
  const meant = findClosest(name, EVENT_TYPES);
  const advice = meant === null ? `those are ${EVENT_TYPES.join(", ")}` : `did you mean ${meant}?`;
  return `${name} is none of the published events, and whether it is ever sent is not documented; ${advice}`;
}

/** Names of hosts that say where they stand. */
const TEST_HOST_PATTERN =
  /(^|[.-])(dev|development|staging|stage|test|testing|qa|uat|sandbox|preview)\d*([.-]|$)/;
const PRODUCTION_HOST_PATTERN = /(^|[.-])(prod|production|live)\d*([.-]|$)/;

/** Interface §6, rule 2: the scope is kept aligned with where the receiver runs. */
function findReachWarnings(
  { hostname, protocol }: URL,
  scope: EnvironmentScope,
  { baseUrl }: Connection,
): readonly string[] {
  if (isLinkLocal(hostname) && isLoopbackUrl(baseUrl))
    return [`${hostname} is a link-local address, and a sandbox never delivers there`];
  const events = scope === "all" ? "production's events too" : `${scope}'s events`;
  if (isLoopback(hostname) || isPrivateHost(hostname))
    return scope === "sandbox"
      ? []
      : [`${hostname} is on this machine or a private network, and gets ${events}; --scope sandbox fits it`];
  const clearTextWarnings =
    protocol === "http:" ? [`deliveries to ${hostname} go in clear text; use https`] : [];
  const publicHostWarnings = isLoopbackUrl(baseUrl)
    ? [`a sandbox delivers to ${hostname} only when it was started with --allow-public-webhooks`]
    : [];
  const matchingScope =
    (scope !== "sandbox" &&
      TEST_HOST_PATTERN.test(hostname) &&
      !PRODUCTION_HOST_PATTERN.test(hostname) &&
      "sandbox") ||
    (scope !== "production" &&
      PRODUCTION_HOST_PATTERN.test(hostname) &&
      !TEST_HOST_PATTERN.test(hostname) &&
      "production");
  const gets = scope === "all" ? "both environments' events" : events;
  const scopeWarnings = matchingScope
    ? [`${hostname} gets ${gets}; by its name, --scope ${matchingScope} fits it`]
    : [];
  return [...clearTextWarnings, ...publicHostWarnings, ...scopeWarnings];
}
