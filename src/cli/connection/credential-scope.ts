import { type Credential, secretOf } from "../../client/auth/credential.ts";
import { type ClaimsError, credentialError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import { type Environment, isLoopbackUrl } from "./base-url.ts";
import { type Locator, listSandboxes } from "./locator.ts";
import { isSeededSecret } from "./seeded-secrets.ts";
import type { ScopedCredential, Setting } from "./sources.ts";

interface CredentialTarget {
  readonly service: Setting<string>;
  readonly environment: Setting<Environment>;
}

/**
 * The wrong-side guard (product.md §4): a credential goes only to the base URL and into the environment that it was
 * stored or given with, and a local sandbox's own only to loopback or to that sandbox.
 *
 * @throws ClaimsError `wrong_side`
 */
export async function checkCredentialScope(
  context: Context,
  setting: Setting<ScopedCredential>,
  { service, environment }: CredentialTarget,
): Promise<void> {
  const { baseUrl, credential, environment: scopeEnvironment } = setting.value;
  if (baseUrl !== undefined && baseUrl !== service.value) {
    throw credentialMismatchError(
      setting,
      `is for ${baseUrl}, and ${service.source} names ${service.value}`,
      service.value,
    );
  }
  if (scopeEnvironment !== undefined && scopeEnvironment !== environment.value) {
    const what = `is for ${scopeEnvironment}, and ${environment.source} says ${environment.value}`;
    throw credentialMismatchError(setting, what, service.value, environment.value);
  }
  if (isLoopbackUrl(service.value)) return;
  const sandbox = (await listSandboxes(context)).find(({ credentials }) =>
    containsCredential(credentials, credential),
  );
  if (sandbox?.url === service.value) return;
  // Also when none is up: every sandbox without a seed of its own has the same.
  const location = sandbox ? ` at ${sandbox.url}` : isSeededSecret(secretOf(credential)) ? "" : null;
  if (location === null) return;
  throw credentialMismatchError(
    setting,
    `belongs to the local sandbox${location}, and ${service.source} names ${service.value}`,
    service.value,
  );
}

function containsCredential(credentials: Locator["credentials"], credential: Credential): boolean {
  const secret = secretOf(credential);
  return Object.values(credentials).some((each) => Object.values(each).includes(secret));
}

function credentialMismatchError(
  { source: by, profile }: Setting<ScopedCredential>,
  what: string,
  baseUrl: string,
  environment?: Environment,
): ClaimsError {
  const side = environment === undefined ? "" : ` --environment ${environment}`;
  return credentialError("wrong_side", `the credential of ${by} ${what}; nothing was sent`, {
    hint: profile
      ? `\`claims auth login --profile ${profile} --base-url ${baseUrl}${side}\` stores one for there; or name another profile`
      : `give base URL, environment and credential together: \`claims auth login --base-url ${baseUrl}${side} --profile NAME\``,
  });
}
