import type { Buffer } from "node:buffer";
import type { Sandbox } from "../../../../sandbox/index.ts";

const REDACTED = "[redacted]";

/** Secrets that the sandbox made for a program, such as tokens. */
const SECRET = /\b(?:(?:sk|cs|at)_(?:sandbox|production)_|whsec_)[\w-]{8,}/g;

/** What a program printed, without the secrets of its sandbox. */
export function redactOutput({ credentials, controlToken }: Sandbox, output: Buffer): string {
  const { sandbox, production, otherPartner, webhook, unapproved } = credentials;
  const secrets = [
    sandbox.apiKey,
    sandbox.clientSecret,
    production.apiKey,
    otherPartner.apiKey,
    webhook.signingSecret,
    unapproved.clientSecret,
    controlToken,
  ];
  const text = secrets.reduce((kept, secret) => kept.replaceAll(secret, REDACTED), output.toString("utf8"));
  return text.replace(SECRET, REDACTED);
}
