import { notFoundError } from "../../../domain/errors.ts";
import { quoteShellWord } from "../../../domain/shell.ts";
import type { Locator } from "../../connection/locator.ts";
import type { Context } from "../../context.ts";
import type { GlobalOptions } from "../../framework/options.ts";
import { type ControlClient, findLocator } from "../../sandbox-control/control.ts";
import { defineControlCommand } from "../../sandbox-control/control-command.ts";

const ASSIGNMENTS = {
  bash: (name: string, value: string) => `export ${name}=${quoteShellWord(value)}`,
  fish: (name: string, value: string) => `set -gx ${name} '${value.replace(/['\\]/g, "\\$&")}'`,
  dotenv: (name: string, value: string) => `${name}=${JSON.stringify(value)}`,
  // CI does not run this one.
  powershell: (name: string, value: string) => `$env:${name} = '${value.replaceAll("'", "''")}'`,
} as const;

export const env = defineControlCommand({
  name: "env",
  prints: "SandboxVariables",
  summary: "print the variables that point programs at a sandbox",
  output: "bytes",
  options: {
    shell: {
      value: "shell",
      choices: ["bash", "fish", "dotenv", "powershell"],
      help: "syntax; that of powershell is not tested",
      default: "bash",
    },
  },
  examples: ['eval "$(claims sandbox env)"', "claims sandbox env --shell dotenv > .env"],
  async run(context, { options, global }, control) {
    const variables = await readVariables(context, control);
    if (global.json) return { kind: "record", json: variables, blocks: [] };
    const assign = ASSIGNMENTS[options.shell ?? "bash"];
    const lines = Object.entries({ ...variables, ...clearOtherName(context, global) }).map(
      ([name, value]) => `${assign(name, value)}\n`,
    );
    return { kind: "stream", body: lines };
  },
});

/** The variable of this shell would name another sandbox than the others. */
const clearOtherName = ({ env: { CLAIMS_SANDBOX_NAME: name } }: Context, { sandboxName }: GlobalOptions) =>
  name && sandboxName !== undefined && sandboxName !== name ? { CLAIMS_SANDBOX_NAME: "" } : {};

/** A sandbox of `claims sandbox exec` has no locator file: the variables that exec set are all that is known of it. */
async function readVariables(context: Context, control: ControlClient) {
  const locator = await findLocator(context, control);
  if (locator) return sandboxEnvironment(locator);
  const { env } = context;
  const { url } = control.target;
  const set = SANDBOX_VARIABLES.map((variable) => [variable, env[variable] ?? ""] as const);
  if (env.CLAIMS_BASE_URL === url && set.every(([, value]) => value !== "")) return Object.fromEntries(set);
  throw notFoundError("no_sandbox", `this machine does not know the credentials of the sandbox at ${url}`, {
    hint: "run this where the sandbox was started, or name a sandbox of this machine with --sandbox-name",
  });
}

type KnownSandbox = Pick<Locator, "url" | "controlToken" | "credentials">;

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

const SANDBOX_VARIABLES = Object.keys(VARIABLES) as readonly (keyof typeof VARIABLES)[];

export const sandboxEnvironment = (sandbox: KnownSandbox) =>
  Object.fromEntries(SANDBOX_VARIABLES.map((name) => [name, VARIABLES[name](sandbox)])) as Record<
    keyof typeof VARIABLES,
    string
  >;
