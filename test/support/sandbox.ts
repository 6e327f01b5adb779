import { onTestFinished } from "vitest";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../sandbox/index.ts";
import { bareEnvironment, startCli } from "./cli.ts";
import { greaseOptions } from "./varied.ts";

export const GOLDEN_TIME = "2026-11-20T00:00:00Z";
export const SELLER = "Harbor & Pine Trading, LLC";

/** A sandbox in this process, at the time the golden files were made for, closed after the test. */
export async function sandboxForTest(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ frozenAt: GOLDEN_TIME, ...greaseOptions, ...options });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** What `sandbox up --json` says when it is ready. */
export interface Ready {
  readonly url: string;
  readonly pid: number;
  readonly controlToken: string;
  readonly credentials: Sandbox["credentials"];
}

/** `claims sandbox up` in a process of its own, stopped after the test. */
export async function sandboxProcess(env: Record<string, string>, ...options: string[]) {
  const started = startCli(["sandbox", "up", "--port", "0", "--json", ...options], { env });
  onTestFinished(async () => {
    started.child.kill("SIGTERM");
    await started.ended;
  });
  const [line] = await started.seen(/^\{"event":"ready".*\}$/m);
  return { ...started, ready: JSON.parse(line) as Ready };
}

/** The environment of a command that talks to this sandbox. */
export const environmentOf = ({
  url,
  credentials,
}: Pick<Sandbox, "url" | "credentials">): Record<string, string> => ({
  ...bareEnvironment(),
  CLAIMS_BASE_URL: url,
  CLAIMS_API_KEY: credentials.sandbox.apiKey,
});

/** The same with the control API of a sandbox that is in this process, as `sandbox env` sets it. */
export const controlledEnvironmentOf = (
  sandbox: Pick<Sandbox, "url" | "credentials" | "controlToken">,
): Record<string, string> => ({
  ...environmentOf(sandbox),
  CLAIMS_CONTROL_URL: `${sandbox.url}/_sandbox`,
  CLAIMS_CONTROL_TOKEN: sandbox.controlToken,
});

/** The same with an OAuth client in place of a key. */
export function oauthEnvironmentOf({ url, credentials }: Pick<Sandbox, "url" | "credentials">) {
  const { clientId, clientSecret } = credentials.sandbox;
  return {
    ...bareEnvironment(),
    CLAIMS_BASE_URL: url,
    CLAIMS_CLIENT_ID: clientId,
    CLAIMS_CLIENT_SECRET: clientSecret,
  };
}

/** The command line that submits a file for the fixtures' seller. */
export const submitArgs = (file: string, ...more: string[]): string[] => [
  ...["diligence", "submit", file, "--seller-name", SELLER],
  ...more,
];
