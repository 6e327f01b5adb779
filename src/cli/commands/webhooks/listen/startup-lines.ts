import { fingerprint } from "../../../../domain/webhooks/fingerprint.ts";
import type { Registration } from "./register.ts";
import type { ForwardRoute } from "./routes.ts";

/** A listener that has begun. */
export interface ListenerInfo {
  readonly url: string;
  readonly secrets: readonly string[];
  readonly routes: readonly ForwardRoute[];
  readonly forwardUnverified: boolean;
  readonly registered: Registration | null;
}

/** The first line for a program. */
export const readyLine = ({ url, secrets, routes, registered }: ListenerInfo): string =>
  `${JSON.stringify({
    ...{ event: "ready", url, endpointId: registered?.id ?? null },
    ...{ fingerprints: secrets.map(fingerprint), routes },
  })}\n`;

/** The same for a person. */
export function startupLines({
  url,
  secrets,
  routes,
  forwardUnverified,
  registered,
}: ListenerInfo): readonly string[] {
  const fingerprints = secrets.map(fingerprint).join(", ");
  const noSecret =
    "warning: there is no signing secret, so nothing is verified" +
    (routes.length === 0 || forwardUnverified
      ? ""
      : ", and nothing is forwarded without --forward-unverified");
  const onlyValid = forwardUnverified ? "" : " that verifies";
  const allEvents = `everything${onlyValid}`;
  return [
    `listening at ${url}, on any path; Ctrl-C ends it`,
    ...(registered ? [`registered as endpoint ${registered.id} until then`] : []),
    secrets.length === 0
      ? `${noSecret}; --secret-file names a file with the signingSecret, --register gets one`
      : `verifying with the secret of fingerprint ${fingerprints}`,
    ...routes.map(
      ({ pattern, url }) => `forwarding ${pattern === "*" ? allEvents : `${pattern}${onlyValid}`} to ${url}`,
    ),
    ...(registered?.environment === "sandbox"
      ? ["in another terminal, claims webhooks test partner.test sends an event"]
      : []),
  ];
}
