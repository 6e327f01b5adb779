/**
 * Every variable of the environment that changes what a command does; those that say where the platform's own folders
 * lie are the platform's. The README's table is checked against this one by a test, and this one against the code.
 */
export const ENVIRONMENT_VARIABLES = {
  CLAIMS_BASE_URL: "where the service is; without it, the local sandbox if one is up",
  CLAIMS_API_KEY: "managed credential; wins over an OAuth client",
  CLAIMS_API_KEY_FILE: "a file with nothing but the managed credential",
  CLAIMS_CLIENT_ID: "OAuth client of the sandbox environment",
  CLAIMS_CLIENT_SECRET: "its secret",
  CLAIMS_CLIENT_SECRET_FILE: "a file with nothing but its secret",
  CLAIMS_WEBHOOK_SECRET: "signing secret of a webhook endpoint",
  CLAIMS_WEBHOOK_SECRET_FILE: "a file with nothing but the signing secret",
  CLAIMS_PROFILE: "the profile to use instead of the current one",
  CLAIMS_ENVIRONMENT: "`sandbox` or `production`; unset: sandbox on loopback, production elsewhere",
  CLAIMS_CONTROL_URL: "the control API of a sandbox; without it, the local sandbox's",
  CLAIMS_CONTROL_TOKEN: "its token",
  CLAIMS_SANDBOX_GREASE: "what every sandbox started here varies, as `--grease` has it; that flag wins",
  CLAIMS_SANDBOX_SEED: "the seed of every sandbox started here; `--seed` wins",
  CLAIMS_NO_INPUT: "never ask",
  CLAIMS_CONFIG_DIR: "one folder instead of the platform's own",
  HTTP_PROXY: "proxy to an http service; in small letters too, which win",
  HTTPS_PROXY: "proxy to an https service",
  NO_PROXY: "hosts that are reached without one, comma-separated; loopback always is",
  NO_COLOR: "no colour; `--color` and `--no-color` win over all of these",
  FORCE_COLOR: "colour, unless it is `0`",
  CLICOLOR_FORCE: "colour, unless it is `0`",
  TERM: "no colour where it is `dumb`",
  CLICOLOR: "no colour where it is `0`",
} as const;
