import type { Locator } from "../../connection/locator.ts";

type KnownSandbox = Pick<Locator, "url" | "controlToken" | "credentials">;

/** The environment variables that point a program at a sandbox, in the order of the output. */
const VARIABLES = {
  CLAIMS_BASE_URL: ({ url }) => url,
  CLAIMS_ENVIRONMENT: () => "sandbox",
  CLAIMS_API_KEY: ({ credentials }) => credentials.sandbox.apiKey,
  CLAIMS_CLIENT_ID: ({ credentials }) => credentials.sandbox.clientId,
  CLAIMS_CLIENT_SECRET: ({ credentials }) => credentials.sandbox.clientSecret,
  CLAIMS_PRODUCTION_API_KEY: ({ credentials }) => credentials.production.apiKey,
  CLAIMS_WEBHOOK_SECRET: ({ credentials }) => credentials.webhook.signingSecret,
  CLAIMS_CONTROL_URL: ({ url }) => `${url}/_sandbox`,
  CLAIMS_CONTROL_TOKEN: ({ controlToken }) => controlToken,
} as const satisfies Record<string, (sandbox: KnownSandbox) => string>;

export const SANDBOX_VARIABLES = Object.keys(VARIABLES) as readonly (keyof typeof VARIABLES)[];

export const sandboxEnvironment = (sandbox: KnownSandbox) =>
  Object.fromEntries(SANDBOX_VARIABLES.map((name) => [name, VARIABLES[name](sandbox)])) as Record<
    keyof typeof VARIABLES,
    string
  >;
