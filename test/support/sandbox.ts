import { onTestFinished } from "vitest";
import type { HostOptions } from "../../sandbox/api/host-options.ts";
import type { Sandbox, SandboxOptions } from "../../sandbox/index.ts";
import { startHostedSandbox } from "../../sandbox/start.ts";
import { bareEnvironment, runCli, type StartedCli, spawnCli, startCli, temporaryFolder } from "./cli.ts";

export const GOLDEN_TIME = "2026-11-20T00:00:00Z";
export const SELLER = "Harbor & Pine Trading, LLC";

/** A sandbox in this process at the time of the golden files; the caller closes it. */
export const openSandbox = (options: SandboxOptions = {}, hostOptions?: HostOptions): Promise<Sandbox> =>
  startHostedSandbox({ frozenAt: GOLDEN_TIME, ...options }, hostOptions);

/** Sandboxes without options that no test uses now, already reset. */
const pool: Sandbox[] = [];

/** A sandbox that is closed after the test. Without options it comes from a pool, whose sandboxes are reset between tests. */
export async function sandboxForTest(
  options: SandboxOptions = {},
  hostOptions?: HostOptions,
): Promise<Sandbox> {
  const isPooled = Object.keys(options).length === 0 && hostOptions === undefined;
  const sandbox = (isPooled && pool.pop()) || (await openSandbox(options, hostOptions));
  let isClosed = false;
  const close = () => {
    isClosed = true;
    return sandbox.close();
  };
  onTestFinished(async () => {
    if (!isPooled) return close();
    if (isClosed) return;
    // A reset keeps snapshots.
    for (const { name } of sandbox.snapshots.list()) sandbox.snapshots.remove(name);
    await sandbox.reset();
    pool.push(sandbox);
  });
  return Object.create(sandbox, { close: { value: close }, [Symbol.asyncDispose]: { value: close } });
}

/** The ready event that `sandbox up --json` prints. */
export interface Ready {
  readonly url: string;
  readonly pid: number;
  readonly controlToken: string;
  readonly credentials: Sandbox["credentials"];
}

const upArgs = (options: readonly string[]) => ["sandbox", "up", "--port", "0", "--json", ...options];

async function waitForReady<Started extends StartedCli>(started: Started) {
  onTestFinished(async () => {
    started.stop("SIGTERM");
    await started.completion;
  });
  const [line] = await started.waitForOutput(/^\{"event":"ready".*\}$/m);
  return { ...started, ready: JSON.parse(line) as Ready };
}

/** `claims sandbox up`, run like {@link startCli} and stopped after the test. */
export const startSandboxUp = (env: Record<string, string>, ...options: string[]) =>
  waitForReady(startCli(upArgs(options), { env }));

/** Starts `claims sandbox up` in a separate process, for a test whose subject is the process. */
export const spawnSandboxUp = (env: Record<string, string>, ...options: string[]) =>
  waitForReady(spawnCli(upArgs(options), { env }));

/** Starts it through another command, such as unshare(1), which is killed after the test. */
export async function spawnSandboxThrough(
  wrapper: readonly string[],
  env: Record<string, string>,
  ...options: string[]
) {
  const started = await waitForReady(spawnCli(upArgs(options), { env, wrapper }));
  onTestFinished(started.kill);
  return started;
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

/** A machine with an empty folder whose commands talk to a sandbox. */
export async function startMachine(options?: SandboxOptions) {
  const sandbox = await sandboxForTest(options);
  const env = environmentOf(sandbox);
  const cwd = temporaryFolder();
  const claims = (...args: string[]) => runCli(args, { env, cwd });
  return { sandbox, env, cwd, claims };
}

/** {@link environmentOf} with the control API of a sandbox in this process, as `sandbox env` sets it. */
export const controlEnvironmentOf = (
  sandbox: Pick<Sandbox, "url" | "credentials" | "controlToken">,
): Record<string, string> => ({
  ...environmentOf(sandbox),
  CLAIMS_CONTROL_URL: `${sandbox.url}/_sandbox`,
  CLAIMS_CONTROL_TOKEN: sandbox.controlToken,
});

/** {@link environmentOf} with an OAuth client in place of a key. */
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
