import { type Credential, secretOf } from "../client/credential.ts";
import { ClaimsError } from "../domain/errors.ts";
import { type Environment, isOnLoopback } from "./base-url.ts";
import type { Context } from "./context.ts";
import { type Locator, listSandboxes } from "./locator.ts";
import { isSeeded } from "./seeded-secrets.ts";
import type { HeldCredential, Said } from "./sources.ts";

interface Side {
  readonly service: Said<string>;
  readonly environment: Said<Environment>;
}

/**
 * The wrong-side guard (product.md §4): a credential goes only to the base URL and into the environment that it was
 * stored or given with, and a local sandbox's own only to loopback or to that sandbox.
 *
 * @throws ClaimsError `wrong_side`
 */
export async function refuseWrongSide(
  context: Context,
  held: Said<HeldCredential>,
  { service, environment }: Side,
): Promise<void> {
  const { baseUrl, credential, environment: own } = held.value;
  if (baseUrl !== undefined && baseUrl !== service.value) {
    throw wrongSide(held, `is for ${baseUrl}, and ${service.by} names ${service.value}`, service.value);
  }
  if (own !== undefined && own !== environment.value) {
    const what = `is for ${own}, and ${environment.by} says ${environment.value}`;
    throw wrongSide(held, what, service.value, environment.value);
  }
  if (isOnLoopback(service.value)) return;
  const sandbox = (await listSandboxes(context)).find(({ credentials }) =>
    hasCredential(credentials, credential),
  );
  if (sandbox?.url === service.value) return;
  // Also when none is up: every sandbox without a seed of its own has the same.
  const whose = sandbox ? ` at ${sandbox.url}` : isSeeded(secretOf(credential)) ? "" : null;
  if (whose === null) return;
  throw wrongSide(
    held,
    `belongs to the local sandbox${whose}, and ${service.by} names ${service.value}`,
    service.value,
  );
}

function hasCredential(credentials: Locator["credentials"], credential: Credential): boolean {
  const secret = secretOf(credential);
  return Object.values(credentials).some((each) => Object.values(each).includes(secret));
}

function wrongSide(
  { by, profile }: Said<HeldCredential>,
  what: string,
  baseUrl: string,
  environment?: Environment,
): ClaimsError {
  const side = environment === undefined ? "" : ` --environment ${environment}`;
  return new ClaimsError("credential", "wrong_side", `the credential of ${by} ${what}; nothing was sent`, {
    hint: profile
      ? `\`claims auth login --profile ${profile} --base-url ${baseUrl}${side}\` stores one for there; or name another profile`
      : `give base URL, environment and credential together: \`claims auth login --base-url ${baseUrl}${side} --profile NAME\``,
  });
}
