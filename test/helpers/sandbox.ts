import { onTestFinished } from "vitest";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../sandbox/index.ts";
import { bareEnvironment } from "./cli.ts";

export const GOLDEN_TIME = "2026-11-20T00:00:00Z";
export const SELLER = "Harbor & Pine Trading, LLC";

/** A sandbox in this process, at the time the golden files were made for, closed after the test. */
export async function sandboxForTest(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ frozenAt: GOLDEN_TIME, ...options });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** The environment of a command that talks to this sandbox. */
export const environmentOf = ({ url, credentials }: Sandbox): Record<string, string> => ({
  ...bareEnvironment(),
  CLAIMS_BASE_URL: url,
  CLAIMS_API_KEY: credentials.sandbox.apiKey,
});

/** The command line that submits a file for the fixtures' seller. */
export const submitArgs = (file: string, ...more: string[]): string[] => [
  ...["diligence", "submit", file, "--seller-name", SELLER],
  ...more,
];
