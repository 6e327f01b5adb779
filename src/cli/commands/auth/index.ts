import { credentialError } from "../../../domain/errors.ts";
import {
  type Config,
  readConfig,
  requireProfile,
  requireSelectedProfile,
  setProfile,
  updateConfig,
} from "../../connection/config.ts";
import { findConnection, missingCredentialError } from "../../connection/connection.ts";
import { parseJsonResponse } from "../../connection/json-response.ts";
import { describeCredentialKind, fingerprintCredential } from "../../connection/secrets.ts";
import { openService } from "../../connection/service.ts";
import { findCachedToken, removeTokens } from "../../connection/token-cache.ts";
import { command } from "../../framework/command.ts";
import { SERVICE_OPTIONS } from "../../framework/options.ts";
import { toCard } from "../../output/output.ts";
import { login } from "./login/login.ts";

const { profile, baseUrl, environment, dotenv, sandboxName } = SERVICE_OPTIONS;

const status = command({
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

const logout = command({
  name: "logout",
  prints: "Logout",
  summary: "remove the credential and access tokens of a profile",
  output: "record",
  quietPrints: "the profiles",
  options: {
    profile: { value: "profile", help: "profile", default: "the current one" },
    all: { help: "log out of every profile and remove every access token", conflicts: ["profile"] },
  },
  examples: ["claims auth logout", "claims auth logout --profile ci", "claims auth logout --all"],
  async run(context, { options: { profile, all } }) {
    const before = await readConfig(context);
    const names = all ? Object.keys(before.profiles) : [profile ?? requireSelectedProfile(context, before)];
    const owners = names.flatMap((name) => {
      const { credential } = requireProfile(before, name);
      return credential ? [{ name, baseUrl: credential.baseUrl, credential }] : [];
    });
    const profiles = owners.map(({ name }) => name);
    await removeTokens(context, all ? "all" : owners);
    if (profiles.length > 0)
      await updateConfig(context, (config) => profiles.reduce(removeCredential, config));
    const line = profiles.length
      ? `removed the credential of ${profiles.join(", ")}`
      : "no credential stored";
    return {
      kind: "record",
      id: profiles.join("\n"),
      json: { profiles },
      blocks: [{ kind: "paragraph", lines: [line] }],
    };
  },
});

function removeCredential(config: Config, name: string): Config {
  const { credential: _, ...rest } = requireProfile(config, name);
  return setProfile(config, name, rest);
}

const token = command({
  name: "token",
  summary: "fetch an access token for an OAuth client and print it",
  remote: "reads",
  output: "bytes",
  operation: ({ oauth }) => oauth.token,
  examples: ["claims auth token", 'curl -H "Authorization: Bearer $(claims auth token)" URL'],
  async run(context, call) {
    const { client, connection } = await openService(context, call);
    if (connection.credential?.kind === "api_key") {
      throw credentialError("no_oauth_client", "an API key needs no token", {
        hint: "send the key itself as Bearer; a token is for an OAuth client: `claims auth login --client-id ID`",
      });
    }
    const response = await client.fetchToken();
    const { access_token: accessToken } = parseJsonResponse(response, "the token") as {
      access_token: string;
    };
    return { kind: "stream", body: [call.global.json ? response.body : `${accessToken}\n`], isSecret: true };
  },
});

export const commands = [login, status, logout, token];
