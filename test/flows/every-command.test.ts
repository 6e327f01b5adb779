import { describe, expect, it } from "vitest";
import { EXIT_CODES } from "../../src/cli/exit-codes.ts";
import type { AnyCommand } from "../../src/cli/framework/command.ts";
import { formatLongFlag, type OptionSpec } from "../../src/cli/framework/options.ts";
import { bareEnvironment, fixture, startCli } from "../support/cli.ts";
import { COMMANDS } from "../support/command-tree.ts";
import { environmentOf, sandboxForTest } from "../support/sandbox.ts";

/** Values of arguments and options by name. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  file: fixture("scenario_partial.csv"),
  method: "POST",
  path: "/v1/diligence/jobs/7d9c/resume",
  command: "true",
  sellerName: "Acme",
  dir: "pulled",
};

/** Builds the shortest valid command line of a command. */
function buildShortestLine(noun: string, { name, arguments: args = [], options = {} }: AnyCommand): string[] {
  const required = Object.entries<OptionSpec>(options).filter(([, { required }]) => required);
  return [
    ...(noun ? [noun] : []),
    ...name.split(" "),
    ...args
      .filter(({ isOptional: optional }) => !optional)
      .map((argument) => PLACEHOLDERS[argument.name] ?? "something"),
    ...required.flatMap(([key]) => [formatLongFlag(key), PLACEHOLDERS[key] ?? "something"]),
  ];
}

const LINES = Object.entries(COMMANDS)
  .flatMap(([noun, specs]) => specs.map((spec) => buildShortestLine(noun, spec)))
  // These run until they are stopped.
  .filter((line) => !["sandbox up", "webhooks listen"].includes(line.join(" ")));

// test/support/cli-invariants.ts checks --json, errors and secrets of every run.
describe.each(LINES.map((line) => [line.join(" ").replaceAll(fixture(""), ""), line] as const))(
  "claims %s",
  (_, line) => {
    it("exits without a prompt or an internal error if nothing is configured and stdin stays open", async () => {
      const { code } = await startCli([...line, "--json"], { env: bareEnvironment() }).completion;
      expect(Object.keys(EXIT_CODES)).toContain(String(code));
      expect(code).not.toBe(1);
    });

    it("exits without a prompt or an internal error with a production credential", {
      tags: "large",
    }, async () => {
      const sandbox = await sandboxForTest();
      const env = {
        ...environmentOf(sandbox),
        CLAIMS_ENVIRONMENT: "production",
        CLAIMS_API_KEY: sandbox.credentials.production.apiKey,
      };
      const { code } = await startCli([...line, "--json"], { env }).completion;
      expect(Object.keys(EXIT_CODES)).toContain(String(code));
      expect(code).not.toBe(1);
    });
  },
);
