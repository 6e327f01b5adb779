import { findConnection, missingCredentialError } from "../../connection/connection.ts";
import { describeCredentialKind, fingerprintCredential } from "../../connection/secrets.ts";
import { findCachedToken } from "../../connection/token-cache.ts";
import { command } from "../../framework/command.ts";
import { SERVICE_OPTIONS } from "../../framework/options.ts";
import { toCard } from "../../output/create-blocks.ts";

const { profile, baseUrl, environment, dotenv, sandboxName } = SERVICE_OPTIONS;

export const status = command({
  name: "status",
  prints: "AuthStatus",
  summary: "show the service and credential in use, offline; exits 4 without a credential",
  output: "record",
  quietPrints: "the profile",
  options: { profile, baseUrl, environment, dotenv, sandboxName },
  examples: ["claims auth status", "claims auth status --profile ci --json | jq -r .fingerprint"],
  async run(context, { options }) {
    const found = await findConnection(context, options);
    const { credential, sources: from } = found;
    const token = await findCachedToken(context, found);
    const tokenExpiresAt = token && new Date(token.expiresAt).toISOString();
    const fingerprint = credential && fingerprintCredential(credential);
    const clientId = credential?.kind === "oauth_client" ? credential.clientId : null;
    const service = { profile: found.profile, baseUrl: found.baseUrl, environment: found.environment };
    const kind = credential?.kind ?? null;
    const record = { ...service, kind, clientId, fingerprint, tokenExpiresAt, from };
    const fields = {
      profile: found.profile,
      "base URL": `${found.baseUrl}, from ${from.baseUrl}`,
      environment: `${found.environment}, from ${from.environment}`,
      credential: kind && `${describeCredentialKind(kind)}, from ${from.credential}`,
      "client id": clientId,
      fingerprint,
      "token until": tokenExpiresAt,
    };
    return {
      kind: "record",
      id: found.profile ?? found.baseUrl,
      json: record,
      blocks: [toCard("credential", fields, { record })],
      failure: credential ? undefined : missingCredentialError(found),
    };
  },
});
