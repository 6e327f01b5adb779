import { fingerprint } from "../../../../domain/webhooks/fingerprint.ts";
import type { Registered } from "./register.ts";
import type { Route } from "./routes.ts";

/** A listener that has begun. */
export interface Ready {
  readonly url: string;
  readonly secrets: readonly string[];
  readonly routes: readonly Route[];
  readonly forwardUnverified: boolean;
  readonly registered: Registered | null;
}

/** The first line for a program. */
export const readyLine = ({ url, secrets, routes, registered }: Ready): string =>
  `${JSON.stringify({
    ...{ event: "ready", url, endpointId: registered?.id ?? null },
    ...{ fingerprints: secrets.map(fingerprint), routes },
  })}\n`;

/** The same for a person. */
export function welcome({ url, secrets, routes, forwardUnverified, registered }: Ready): readonly string[] {
  const held = secrets.map(fingerprint).join(", ");
  const noSecret =
    "warning: there is no signing secret, so nothing is verified" +
    (routes.length === 0 || forwardUnverified
      ? ""
      : ", and nothing is forwarded without --forward-unverified");
  const onlyValid = forwardUnverified ? "" : " that verifies";
  const everything = `everything${onlyValid}`;
  return [
    `listening at ${url}, on any path; Ctrl-C ends it`,
    ...(registered ? [`registered as endpoint ${registered.id} until then`] : []),
    secrets.length === 0
      ? `${noSecret}; --secret-file names a file with the signingSecret, --register gets one`
      : `verifying with the secret of fingerprint ${held}`,
    ...routes.map(
      ({ pattern, url }) => `forwarding ${pattern === "*" ? everything : `${pattern}${onlyValid}`} to ${url}`,
    ),
    ...(registered?.environment === "sandbox"
      ? ["in another terminal, claims webhooks test partner.test sends an event"]
      : []),
  ];
}
