import type { Locator } from "../../connection/locator.ts";

export const SANDBOX_VARIABLES = [
  "CLAIMS_BASE_URL",
  "CLAIMS_ENVIRONMENT",
  "CLAIMS_API_KEY",
  "CLAIMS_CLIENT_ID",
  "CLAIMS_CLIENT_SECRET",
  "CLAIMS_PRODUCTION_API_KEY",
  "CLAIMS_WEBHOOK_SECRET",
  "CLAIMS_CONTROL_URL",
  "CLAIMS_CONTROL_TOKEN",
] as const;

/** The environment variables that point a program at a sandbox, in the order of the output. */
export function sandboxEnvironment(locator: Pick<Locator, "url" | "controlToken" | "credentials">) {
  const { url, controlToken } = locator;
  const { sandbox, production, webhook } = locator.credentials;
  return {
    CLAIMS_BASE_URL: url,
    CLAIMS_ENVIRONMENT: "sandbox",
    CLAIMS_API_KEY: sandbox.apiKey,
    CLAIMS_CLIENT_ID: sandbox.clientId,
    CLAIMS_CLIENT_SECRET: sandbox.clientSecret,
    CLAIMS_PRODUCTION_API_KEY: production.apiKey,
    CLAIMS_WEBHOOK_SECRET: webhook.signingSecret,
    CLAIMS_CONTROL_URL: `${url}/_sandbox`,
    CLAIMS_CONTROL_TOKEN: controlToken,
  } satisfies Record<(typeof SANDBOX_VARIABLES)[number], string>;
}
