import { once } from "node:events";
import { resolve } from "node:path";
import type { Sandbox, SandboxOptions } from "../../../../../sandbox/index.ts";
import { ClaimsError, rephraseError, usageError } from "../../../../domain/errors.ts";
import { startEmbeddedSandbox } from "../../../connection/embedded-sandbox.ts";
import {
  DEFAULT_SANDBOX,
  findSandbox,
  type Locator,
  listSandboxes,
  removeLocator,
  removeStaleLocator,
  writeLocator,
} from "../../../connection/locator.ts";
import { checkSandboxHealth } from "../../../connection/sandbox-health.ts";
import type { Context } from "../../../context.ts";
import { command } from "../../../framework/command.ts";
import { printMessage } from "../../../output/stderr.ts";
import { sandboxNameOption } from "../../../sandbox-control/control-command.ts";
import { startOptions, toSandboxOptions, toStartFlags } from "../options.ts";
import { startDetached } from "./detached.ts";
import { renderReady } from "./ready-text.ts";
import { openStateFile, type StateFile, withStateFile } from "./state-file.ts";

/** product.md §5 */
const DEFAULT_PORT = 4750;

export const up = command({
  name: "up",
  summary: "start a sandbox, and run it until Ctrl-C",
  output: "nothing",
  options: {
    ...sandboxNameOption,
    ...startOptions,
    state: { value: "file", help: "load the state from this file, and save it there at the end" },
    detach: { help: "run it in the background; return when it is ready" },
  },
  examples: [
    "claims sandbox up",
    "claims sandbox up --port 0 --json",
    "claims sandbox up --state sandbox.state",
    "claims sandbox up --frozen --at 2026-11-20T00:00:00Z --detach",
  ],
  async run(context, { options, global: { json = false } }) {
    const { name = DEFAULT_SANDBOX, detach } = options;
    await refuseSecondSandbox(context, name);
    const start = { port: DEFAULT_PORT, ...toSandboxOptions(context, options) };
    if (detach) {
      const locator = await startDetached(context, name, [
        ...toStartFlags(options),
        ...toStateFlag(context, options),
      ]);
      return { kind: "stream", body: [renderReady(locator, { json, detached: true })] };
    }
    const stop = new AbortController();
    const onShutdownRequested = () => stop.abort();
    const state = options.state === undefined ? null : await openStateFile(context, options.state);
    const sandbox = await startSandbox(context, { ...start, ...state?.options, onShutdownRequested }).catch(
      async (error: unknown) => {
        await state?.release();
        throw withStateFile(error, options.state ?? "");
      },
    );
    return {
      kind: "stream",
      body: serveUntilStopped(context, { sandbox, state, name, json, stopped: stop.signal }),
    };
  },
});

/** Refuses the name of a sandbox that responds or may be busy. A state file alone never blocks a start. */
async function refuseSecondSandbox(context: Context, name: string): Promise<void> {
  const running = await findSandbox(context, name).catch((error: unknown) => {
    if (!(error instanceof ClaimsError) || error.code !== "sandbox_state_invalid") throw error;
    printMessage(context, `warning: ${error.message}`);
    return null;
  });
  if (running === null) return;
  if ((await checkSandboxHealth(context, running)) !== "none") throw alreadyUp(running);
  await removeStaleLocator(context, running);
}

const alreadyUp = ({ name, url, pid }: Locator): ClaimsError =>
  usageError("already_up", `the sandbox "${name}" is already up at ${url} (pid ${pid})`, {
    hint: "stop it with `claims sandbox down`, or give the new one a --name and --port 0",
  });

/** Names the sandbox that uses the port, if it is one of this machine. */
async function startSandbox(context: Context, options: SandboxOptions): Promise<Sandbox> {
  try {
    return await startEmbeddedSandbox(context, options);
  } catch (error) {
    if (!(error instanceof ClaimsError) || error.code !== "port_in_use") throw error;
    const others = await listSandboxes(context);
    const other = others.find(({ url }) => new URL(url).port === String(options.port));
    if (!other) throw error;
    throw rephraseError(error, {
      message: `the sandbox "${other.name}" (pid ${other.pid}) uses port ${options.port}`,
      hint: "choose another port, or --port 0 for a free one",
    });
  }
}

/** As an absolute path, because the detached process may run elsewhere. */
const toStateFlag = ({ cwd }: Context, { state }: { readonly state?: string | undefined }): string[] =>
  state === undefined ? [] : ["--state", resolve(cwd, state)];

interface ServeOptions {
  readonly sandbox: Sandbox;
  readonly state: StateFile | null;
  readonly name: string;
  readonly json: boolean;
  readonly stopped: AbortSignal;
}

/** Prints where the sandbox is, and runs it until a signal or `sandbox down` stops it. */
async function* serveUntilStopped(context: Context, { sandbox, state, name, json, stopped }: ServeOptions) {
  const { url, controlToken, credentials } = sandbox;
  const locator: Locator = { name, url, ...context.processes.own, controlToken, credentials };
  let isAnnounced = false;
  try {
    isAnnounced = await publishLocator(context, locator);
    yield renderReady(locator, { json, detached: false });
    const either = AbortSignal.any([context.signal, stopped]);
    if (!either.aborted) await once(either, "abort");
  } finally {
    if (isAnnounced) await removeOwnLocator(context, locator);
    await saveAndClose(sandbox, state);
    printMessage(context, "stopped");
  }
}

/** Without a state file, other commands cannot find the sandbox, but it starts. */
async function publishLocator(context: Context, locator: Locator): Promise<boolean> {
  try {
    await writeLocator(context, locator);
    return true;
  } catch (error) {
    if (!(error instanceof ClaimsError) || error.code !== "sandbox_state_unwritable") throw error;
    printMessage(
      context,
      `warning: other commands cannot find this sandbox: ${error.message}; ${error.hint}`,
    );
    return false;
  }
}

async function removeOwnLocator(context: Context, locator: Locator): Promise<void> {
  try {
    await removeLocator(context, locator);
  } catch (error) {
    printMessage(
      context,
      `warning: cannot remove the state file of this sandbox: ${(error as Error).message}`,
    );
  }
}

/** Closes the sandbox even if its state cannot be saved. */
async function saveAndClose(sandbox: Sandbox, state: StateFile | null): Promise<void> {
  try {
    await state?.save(sandbox);
  } finally {
    await sandbox.close();
    await state?.release();
  }
}
