import type { Credential } from "../../../client/auth/credential.ts";
import { fingerprint } from "../../../domain/webhooks/fingerprint.ts";
import { type Config, requireProfile, type StoredCredential } from "../../connection/config.ts";
import { describeCredentialKind, fingerprintCredential } from "../../connection/secrets.ts";
import { toCard } from "../../output/create-blocks.ts";
import type { Output } from "../../output/output.ts";

/** A profile without its secrets. */
export interface ProfileView {
  readonly name: string;
  readonly current: boolean;
  readonly baseUrl: string;
  readonly environment: string;
  readonly caFile: string | null;
  readonly credential: {
    readonly kind: Credential["kind"];
    readonly fingerprint: string;
    readonly baseUrl: string;
    readonly environment: string;
  } | null;
  /** The fingerprint of its signing secret. */
  readonly webhookSecret: string | null;
}

export function toProfileView(config: Config, name: string): ProfileView {
  const { baseUrl, caFile = null, credential, environment, webhookSecret } = requireProfile(config, name);
  return {
    name,
    current: name === config.current,
    baseUrl,
    environment,
    caFile,
    credential: credential ? toCredentialView(credential) : null,
    webhookSecret: webhookSecret === undefined ? null : fingerprint(webhookSecret),
  };
}

const toCredentialView = (credential: StoredCredential) => ({
  kind: credential.kind,
  fingerprint: fingerprintCredential(credential),
  baseUrl: credential.baseUrl,
  environment: credential.environment,
});

export function renderProfile(config: Config, name: string): Output {
  const view = toProfileView(config, name);
  const { current, baseUrl, environment, caFile, credential, webhookSecret } = view;
  const card = toCard({
    profile: current ? `${name}, the current one` : name,
    "base URL": baseUrl,
    environment,
    "CA file": caFile,
    credential:
      credential && `${describeCredentialKind(credential.kind)}, fingerprint ${credential.fingerprint}`,
    "signing secret": webhookSecret && `fingerprint ${webhookSecret}`,
  });
  return { kind: "record", json: view, id: name, blocks: [card] };
}
