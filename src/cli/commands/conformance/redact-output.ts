import type { Buffer } from "node:buffer";
import type { Sandbox } from "../../../../sandbox/index.ts";
import type { ProgramRun } from "../../../conformance/trial.ts";

const REDACTED = "[redacted]";

/** Secrets that the sandbox made for a program, such as tokens. */
const SECRET = /\b(?:(?:sk|cs|at)_(?:sandbox|production)_|whsec_)[\w-]{8,}/g;

/** What a program printed, without the secrets of its sandbox, and whether one of these is a credential. */
export function redactOutput(
  { credentials, controlToken }: Sandbox,
  bytes: Buffer,
): Pick<ProgramRun, "output" | "showsCredential"> {
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
  const printed = bytes.toString("utf8");
  const text = secrets.reduce((kept, secret) => kept.replaceAll(secret, REDACTED), printed);
  const output = text.replace(SECRET, REDACTED);
  return { output, showsCredential: output !== printed };
}
