import { fingerprint } from "../../../../domain/webhooks/fingerprint.ts";
import type { Registration } from "./register.ts";

interface ListenerInfo {
  readonly url: string;
  readonly secrets: readonly string[];
  readonly forwardTo: readonly string[];
  readonly forwardUnverified: boolean;
  readonly registration: Registration | null;
}

/** The first line for a program. */
export function readyLine({ url, secrets, forwardTo, registration }: ListenerInfo): string {
  const fingerprints = secrets.map(fingerprint);
  const endpointId = registration?.id ?? null;
  return `${JSON.stringify({ event: "ready", url, endpointId, fingerprints, forwardTo })}\n`;
}

/** The line for a program when the listener has a new endpoint. */
export const registeredLine = (endpointId: string, secret: string): string =>
  `${JSON.stringify({ event: "registered", endpointId, fingerprints: [fingerprint(secret)] })}\n`;

/** The first lines for a person. */
export function startupLines(info: ListenerInfo): readonly string[] {
  const { url, secrets, forwardTo, forwardUnverified, registration } = info;
  const verified = forwardUnverified ? "" : "verified ";
  const isForwardingBlocked = forwardTo.length > 0 && !forwardUnverified;
  return [
    `listening at ${url}, on any path; press Ctrl-C to stop`,
    ...(registration ? [`registered as endpoint ${registration.id} until then`] : []),
    secrets.length > 0
      ? `verifying with the secret of fingerprint ${secrets.map(fingerprint).join(", ")}`
      : `warning: no signing secret configured; deliveries are not verified${
          isForwardingBlocked ? ", and not forwarded without --forward-unverified" : ""
        }; --secret-file names a file with the signingSecret, --register gets one`,
    ...forwardTo.map((target) => `forwarding ${verified}deliveries to ${target}`),
    ...(registration?.environment === "sandbox"
      ? ["in another terminal, `claims webhooks test partner.test` sends an event"]
      : []),
  ];
}
