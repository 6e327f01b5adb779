import { fingerprint } from "../../../domain/webhooks/fingerprint.ts";
import { type Config, requireProfile } from "../../connection/config.ts";
import { describeCredentialKind, fingerprintCredential } from "../../connection/secrets.ts";
import { toCard } from "../../output/create-blocks.ts";
import type { Output } from "../../output/output.ts";

/** A profile without its secrets. */
export function toProfileView(config: Config, name: string) {
  const profile = requireProfile(config, name);
  const { baseUrl, caFile = null, credential, environment, like = null, webhookSecret } = profile;
  return {
    name,
    current: name === config.current,
    baseUrl,
    environment,
    caFile,
    like,
    credential: credential
      ? {
          kind: credential.kind,
          fingerprint: fingerprintCredential(credential),
          baseUrl: credential.baseUrl,
          environment: credential.environment,
        }
      : null,
    /** The fingerprint of its signing secret. */
    webhookSecret: webhookSecret === undefined ? null : fingerprint(webhookSecret),
  };
}

export function renderProfile(config: Config, name: string): Output {
  const view = toProfileView(config, name);
  const { current, baseUrl, environment, caFile, like, credential, webhookSecret } = view;
  const fields = {
    profile: current ? `${name}, the current one` : name,
    "base URL": baseUrl,
    environment,
    "CA file": caFile,
    like,
    credential:
      credential && `${describeCredentialKind(credential.kind)}, fingerprint ${credential.fingerprint}`,
    "signing secret": webhookSecret && `fingerprint ${webhookSecret}`,
  };
  return { kind: "record", json: view, id: name, blocks: [toCard("profile", fields, { record: view })] };
}
