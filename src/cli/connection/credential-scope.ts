import { createHash } from "node:crypto";
import { type Credential, secretOf } from "../../client/auth/credential.ts";
import type { Environment } from "../../domain/environments.ts";
import { credentialError } from "../../domain/errors.ts";
import { isLoopbackUrl, isSameService } from "./base-url.ts";
import type { Locator } from "./locator.ts";
import type { ScopedCredential, Setting } from "./sources.ts";

/** That of a local sandbox goes only to loopback or to it (product.md §4). @throws ClaimsError `credential_mismatch` */
export async function checkCredentialScope(
  { value: scope, source, profile }: Setting<ScopedCredential>,
  { service, environment }: { readonly service: Setting<string>; readonly environment: Setting<Environment> },
  list: () => Promise<readonly Locator[]>,
): Promise<void> {
  const url = service.value;
  const mismatchError = (problem: string, side = "") =>
    credentialError("credential_mismatch", `the credential of ${source} ${problem}; nothing was sent`, {
      hint: profile
        ? `store one for it with \`claims auth login --profile ${profile} --base-url ${url}${side}\`, or name another profile`
        : `give base URL, environment and credential together: \`claims auth login --base-url ${url}${side} --profile NAME\``,
    });
  if (scope.baseUrl !== undefined && scope.baseUrl !== url)
    throw mismatchError(`is for ${scope.baseUrl}, but ${service.source} names ${url}`);
  if (scope.sandboxName !== undefined && scope.baseUrl === undefined) {
    const owner = (await list()).find(({ name }) => name === scope.sandboxName);
    if (!owner || !isSameService(owner.url, url))
      throw mismatchError(`is for the sandbox "${scope.sandboxName}", but ${service.source} names ${url}`);
  }
  if (scope.environment !== undefined && scope.environment !== environment.value) {
    throw mismatchError(
      `is for ${scope.environment}, but ${environment.source} says ${environment.value}`,
      ` --environment ${environment.value}`,
    );
  }
  if (isLoopbackUrl(url)) return;
  const secret = secretOf(scope.credential);
  const owner = (await list()).find(({ credentials }) =>
    Object.values(credentials).some((each) => Object.values(each).includes(secret)),
  );
  if (owner?.url === url || !(owner || isSeededSecret(secret))) return;
  throw mismatchError(
    `belongs to the local sandbox${owner ? ` at ${owner.url}` : ""}, but ${service.source} names ${url}`,
  );
}

/** A key whose prefix names an environment (assumed) goes to no other one that the user named (product.md §4, *Environment*). */
export function checkKeyEnvironment(credential: Credential, { value, source }: Setting<Environment>): void {
  const [, own] = /^sk_(sandbox|production)_/.exec(secretOf(credential)) ?? [];
  if (own === undefined || own === value) return;
  const message = `the API key begins as one for ${own}, but ${source} says ${value}; nothing was sent`;
  throw credentialError("credential_mismatch", message, {
    hint: `use a key for ${value}, or give --environment ${own}`,
  });
}

/** OAuth clients exist in the sandbox environment only (interface §5.3). */
export function checkOAuthEnvironment(credential: Credential, environment: Environment): void {
  if (credential.kind !== "oauth_client" || environment !== "production") return;
  throw credentialError("oauth_is_sandbox_only", "OAuth client credentials work in the sandbox only", {
    hint: "production takes an API key: set CLAIMS_API_KEY, or log in without --client-id",
  });
}

/** Of every sandbox without its own seed, on loopback only (product.md §5): the first 16 hex digits of their SHA-256. */
const SEEDED_SECRET_HASHES: ReadonlySet<string> = new Set([
  "b44688a2c283ba10",
  "883162c7a16d1e35",
  "189f491964b94935",
  "567a0b5725cf9728",
  "c156cec0fc73529d",
]);

/** Whether every sandbox without its own seed has this secret, also when none is running. */
export const isSeededSecret = (secret: string): boolean =>
  SEEDED_SECRET_HASHES.has(createHash("sha256").update(secret).digest("hex").slice(0, 16));
