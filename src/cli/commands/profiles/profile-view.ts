import type { Credential } from "../../../client/auth/credential.ts";
import { fingerprint as secretFingerprint } from "../../../domain/webhooks/fingerprint.ts";
import type { Config, Profile } from "../../connection/config.ts";
import { describeCredentialKind, fingerprintCredential } from "../../connection/secrets.ts";
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

export function toProfileView({ current }: Config, name: string, profile: Profile): ProfileView {
  const { baseUrl, caFile = null, credential, environment, webhookSecret } = profile;
  return {
    name,
    current: name === current,
    baseUrl,
    environment,
    caFile,
    credential: credential
      ? {
          kind: credential.kind,
          fingerprint: fingerprintCredential(credential),
          baseUrl: credential.baseUrl,
          environment: credential.environment,
        }
      : null,
    webhookSecret: webhookSecret === undefined ? null : secretFingerprint(webhookSecret),
  };
}

export function renderProfile(shown: ProfileView): Output {
  const { name, current, baseUrl, environment, caFile, credential, webhookSecret } = shown;
  return {
    kind: "record",
    json: shown,
    id: name,
    blocks: [
      {
        kind: "card",
        rows: [
          ["profile", current ? `${name}, the current one` : name],
          ["base URL", baseUrl],
          ["environment", environment],
          ["CA file", caFile],
          [
            "credential",
            credential && `${describeCredentialKind(credential.kind)}, fingerprint ${credential.fingerprint}`,
          ],
          ["signing secret", webhookSecret && `fingerprint ${webhookSecret}`],
        ],
      },
    ],
  };
}
