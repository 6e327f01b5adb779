import { ClaimsError } from "../../../domain/errors.ts";
import type { Context } from "../../context.ts";
import { command } from "../../framework/command.ts";
import { quoteShellWord } from "../../output/shell-quote.ts";
import { findLocator, requireControl } from "../../sandbox-control/control.ts";
import { sandboxNameOption } from "./options.ts";
import { SANDBOX_VARIABLES, sandboxEnvironment } from "./sandbox-variables.ts";

/** How each shell sets a variable. */
const ASSIGNMENT = {
  bash: (name: string, value: string) => `export ${name}=${quoteShellWord(value)}`,
  fish: (name: string, value: string) => `set -gx ${name} '${value.replace(/['\\]/g, "\\$&")}'`,
  dotenv: (name: string, value: string) => `${name}=${JSON.stringify(value)}`,
} as const;

export const env = command({
  name: "env",
  summary: "print the variables that point programs at a sandbox",
  remote: false,
  output: "bytes",
  options: {
    ...sandboxNameOption,
    shell: {
      value: "shell",
      choices: ["bash", "fish", "dotenv"],
      help: "whose syntax to use (bash)",
    },
  },
  examples: ['eval "$(claims sandbox env)"', "claims sandbox env --shell dotenv > .env"],
  async run(context, { options, global }) {
    const variables = await readVariables(context, options.name);
    if (global.json) return { kind: "record", json: variables, blocks: [] };
    const assign = ASSIGNMENT[options.shell ?? "bash"];
    return {
      kind: "stream",
      body: Object.entries(variables).map(([name, value]) => `${assign(name, value)}\n`),
    };
  },
});

/** Of a sandbox that has no locator, as that of `claims sandbox exec`, what it has set itself is all that is known. */
async function readVariables(context: Context, name?: string): Promise<Readonly<Record<string, string>>> {
  const control = await requireControl(context, name);
  const locator = await findLocator(context, control);
  if (locator) return sandboxEnvironment(locator);
  const { env } = context;
  const set = SANDBOX_VARIABLES.map((variable) => [variable, env[variable] ?? ""] as const);
  if (env.CLAIMS_BASE_URL === control.url && set.every(([, value]) => value !== ""))
    return Object.fromEntries(set);
  throw new ClaimsError(
    "not_found",
    "credentials_unknown",
    `the credentials of the sandbox at ${control.url} are not known on this machine`,
    { hint: "run this where the sandbox was started, or name one of this machine with --name" },
  );
}
