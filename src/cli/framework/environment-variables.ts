/** Tests check the table of the reference against this one, and this one against the code. */
export const ENVIRONMENT_VARIABLES = {
  CLAIMS_BASE_URL: "base URL of the service; default: the local sandbox if it is running",
  CLAIMS_API_KEY: "managed API key; takes precedence over an OAuth client",
  CLAIMS_API_KEY_FILE: "a file that holds only the managed API key",
  CLAIMS_CLIENT_ID: "OAuth client of the sandbox environment",
  CLAIMS_CLIENT_SECRET: "secret of the OAuth client",
  CLAIMS_CLIENT_SECRET_FILE: "a file that holds only the secret of the OAuth client",
  CLAIMS_WEBHOOK_SECRET: "signing secret of a webhook endpoint",
  CLAIMS_WEBHOOK_SECRET_FILE: "a file that holds only the signing secret",
  CLAIMS_PROFILE: "profile to use instead of the current one",
  CLAIMS_ENVIRONMENT: "`sandbox` or `production`; default: sandbox on loopback, production elsewhere",
  CLAIMS_MAPPING:
    "the mapping of the service, a file; `--mapping` takes precedence, and a profile has its own",
  CLAIMS_SANDBOX_NAME:
    "name of a running sandbox, in place of a base URL and a credential; for `sandbox up`, its name",
  CLAIMS_CONTROL_URL: "control API of a sandbox; default: that of the local sandbox",
  CLAIMS_CONTROL_TOKEN: "token of the control API",
  CLAIMS_NO_INPUT: "never ask",
  CLAIMS_CONFIG_DIR: "absolute path of one folder instead of the platform's folders",
  HTTP_PROXY: "proxy for http services; the lower-case name takes precedence",
  HTTPS_PROXY: "proxy for https services",
  NO_PROXY: "comma-separated hosts to reach without a proxy; loopback never uses one",
  NO_COLOR: "disables colour; `--color` and `--no-color` take precedence over all of these",
  FORCE_COLOR: "forces colour, unless it is `0`",
  CLICOLOR_FORCE: "forces colour, unless it is `0`",
  TERM: "disables colour if it is `dumb`",
  CLICOLOR: "disables colour if it is `0`",
} as const;
