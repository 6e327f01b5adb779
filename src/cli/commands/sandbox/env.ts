import { command } from "../../command.ts";
import { requireSandbox } from "../../control.ts";
import { shellQuote } from "../../output/shell-quote.ts";
import { sandboxEnvironment } from "./environment.ts";
import { sandboxName } from "./options.ts";

/** How each shell sets a variable. */
const ASSIGNMENT = {
  bash: (name: string, value: string) => `export ${name}=${shellQuote(value)}`,
  fish: (name: string, value: string) => `set -gx ${name} '${value.replace(/['\\]/g, "\\$&")}'`,
  powershell: (name: string, value: string) => `$env:${name} = '${value.replaceAll("'", "''")}'`,
  dotenv: (name: string, value: string) => `${name}=${JSON.stringify(value)}`,
} as const;

export const env = command({
  name: "env",
  summary: "print the variables that point programs at a sandbox",
  remote: false,
  answers: "bytes",
  options: {
    ...sandboxName,
    shell: {
      value: "shell",
      choices: ["bash", "fish", "powershell", "dotenv"],
      help: "whose syntax to use (bash)",
    },
  },
  examples: ['eval "$(claims sandbox env)"', "claims sandbox env --shell dotenv > .env"],
  async run(context, { options, global }) {
    const variables = sandboxEnvironment(await requireSandbox(context, options.name));
    if (global.json) return { kind: "record", json: variables, blocks: [] };
    const assign = ASSIGNMENT[options.shell ?? "bash"];
    return {
      kind: "stream",
      body: Object.entries(variables).map(([name, value]) => `${assign(name, value)}\n`),
    };
  },
});
