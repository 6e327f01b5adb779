import { readdirSync, readFileSync } from "node:fs";
import type { CliResult } from "./cli.ts";

/** Where a run of the program broke a promise of product.md §2; emptied by the test setup after every test. */
export const broken: string[] = [];

/** How a secret looks in this suite: a test that makes one up keeps to that. */
const SECRET = /\b(sk|cs|at|whsec)_\w{8,}/;

/** A shorter value of a variable is an ordinary word. */
const SHORTEST = 8;

/** Commands whose answer is a secret, made up or not, or somebody else's output. */
const TELLS_SECRETS = [
  /^sandbox (up|env|exec|credentials|snapshot save (\S+ )?--file -)(\s|$)/,
  /^auth token\b/,
  /^webhooks (vectors|create .*--json)\b/,
  /^api POST \/v1\/webhooks\/endpoints\b/,
];

const isSecretName = (name: string): boolean => /(KEY|SECRET|TOKEN)$/.test(name);

/** Holds one run of the program against what every run promises. */
export function judge(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  result: CliResult,
  { cutShort }: { readonly cutShort: boolean },
): void {
  const line = args.join(" ");
  const complain = (what: string) => broken.push(`claims ${line}: ${what}`);
  if (SECRET.test(line)) complain("a secret in argv");
  if (!TELLS_SECRETS.some((command) => command.test(line))) {
    const secrets = Object.entries(env).flatMap(([name, value]) =>
      isSecretName(name) && value && value.length >= SHORTEST ? [value] : [],
    );
    for (const stream of ["stdout", "stderr"] as const) {
      const text = result[stream];
      if (SECRET.test(text) || secrets.some((secret) => text.includes(secret)))
        complain(`a secret on ${stream}`);
    }
  }
  if (line.startsWith("sandbox exec")) return;
  const format = formatOf(args);
  if (format && !cutShort && !parses(result.stdout, format))
    complain(`stdout is not ${format}: ${result.stdout.slice(0, 200)}`);
  if (result.code) judgeFailure(result, format !== null, complain);
}

function formatOf(args: readonly string[]): "json" | "ndjson" | null {
  const own = args.slice(0, args.includes("--") ? args.indexOf("--") : undefined);
  if (own.includes("--ndjson") || (/^webhooks listen\b/.test(own.join(" ")) && own.includes("--json")))
    return "ndjson";
  // What a dataset looks like is up to the service, and a rehearsal may be a shell's line.
  return own.includes("--json") && !own.includes("--print") ? "json" : null;
}

function parses(text: string, format: "json" | "ndjson"): boolean {
  try {
    for (const part of format === "json" ? [text] : text.split("\n"))
      if (part.trim() !== "") JSON.parse(part);
    return true;
  } catch {
    return false;
  }
}

function judgeFailure({ code, stderr }: CliResult, json: boolean, complain: (what: string) => void): void {
  if (!json) {
    if (!/^error: .+\nhint: .+$/m.test(stderr)) complain(`no error and hint on stderr: ${stderr}`);
    return;
  }
  const documents = stderr.split("\n").filter((text) => text.startsWith('{"error"'));
  if (documents.length !== 1) {
    complain(`${documents.length} error documents on stderr: ${stderr}`);
    return;
  }
  const { error } = JSON.parse(documents[0] ?? "") as { error: Record<string, unknown> };
  const { code: name, message, hint, exitCode, retryable } = error;
  const told = [name, message, hint].every((text) => typeof text === "string" && text !== "");
  if (!told || typeof retryable !== "boolean") complain(`an error without its parts: ${documents[0]}`);
  if (exitCode !== code) complain(`exit code ${code}, and ${exitCode} in the error document`);
}

/** Looks at the command line of every process on this machine, as `ps` would. */
export function judgeProcesses(): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      if (line.includes("claims") && SECRET.test(line))
        broken.push(`a secret in the list of processes: ${line}`);
    } catch {
      // It has ended since.
    }
  }
}
