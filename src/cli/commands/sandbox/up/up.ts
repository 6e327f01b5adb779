import { once } from "node:events";
import type { HostOptions } from "../../../../../sandbox/api/host-options.ts";
import type { Sandbox, SandboxOptions } from "../../../../../sandbox/index.ts";
import { ClaimsError, rephraseError, usageError } from "../../../../domain/errors.ts";
import { startEmbeddedSandbox } from "../../../connection/embedded-sandbox.ts";
import {
  chooseSandboxName,
  DEFAULT_SANDBOX,
  findSandbox,
  type Locator,
  listSandboxes,
  removeDamagedLocator,
  removeLocator,
  removeStaleLocator,
  updateLocatorCredentials,
  writeLocator,
} from "../../../connection/locator.ts";
import { checkSandboxHealth } from "../../../connection/sandbox-health.ts";
import type { Context } from "../../../context.ts";
import { giveFilesToHomeOwner } from "../../../files/home-owner.ts";
import { command } from "../../../framework/command.ts";
import { sandboxNameOption } from "../../../framework/options.ts";
import { PORT_HINT } from "../../../framework/values.ts";
import { printMessage } from "../../../output/stderr.ts";
import { printMapping } from "../mapping.ts";
import { startOptions, stateOptions, toSandboxOptions, toStartFlags } from "../options.ts";
import { streamLiveLog, writeEvents } from "./live-log.ts";
import { startDetached } from "./start-detached.ts";
import { autosave, openStateFile, type StateFile, withStateFile } from "./state-file.ts";

/** product.md §5 */
const DEFAULT_PORT = 4750;

export const up = command({
  name: "up",
  prints: "SandboxReady",
  summary: "start a sandbox, and run it until Ctrl-C",
  output: "nothing",
  options: {
    sandboxName: {
      ...sandboxNameOption.sandboxName,
      help: "name of the sandbox, to run several",
      default: DEFAULT_SANDBOX,
    },
    ...startOptions,
    ...stateOptions,
    quiet: { short: "q", help: "no live log on a terminal" },
    log: {
      help: "print requests, delivery attempts and states of jobs as lines of JSON; those that a slow reader misses are counted",
    },
    detach: { help: "run it in the background; return when it is ready" },
  },
  examples: [
    "claims sandbox up",
    "claims sandbox up --log | jq -r 'select(.status >= 400) | .target'",
    "claims sandbox up --detach && claims sandbox inspect --open",
  ],
  async run(context, { options, global: { json = false } }) {
    const { detach, log = false, quiet = false } = options;
    const name = chooseSandboxName(context, options);
    if (log && detach)
      throw usageError("usage", "--log and --detach exclude each other", {
        hint: "a detached sandbox has no reader; `claims sandbox requests --watch --json` prints the same lines",
      });
    await refuseSecondSandbox(context, name);
    const start = { port: DEFAULT_PORT, ...(await toSandboxOptions(context, options)) };
    if (detach) {
      const locator = await startDetached(context, name, toStartFlags(context, options));
      const { ControlClient } = await import("../../../sandbox-control/control.ts");
      const state = new ControlClient(context, locator).send("GET /state", "instanceId");
      const { instanceId, mapping } = await state;
      printMapping(context, mapping);
      const { controlToken, credentials } = locator;
      const ready = json && readyLine(locator, { instanceId, controlToken, credentials });
      return { kind: "stream", body: [ready || renderWelcome(locator, { isDetached: true })] };
    }
    const stop = new AbortController();
    const onShutdownRequested = () => stop.abort();
    const state = options.state === undefined ? null : await openStateFile(context, options.state);
    const sandbox = await startSandbox(
      context,
      { ...start, ...state?.options },
      { ...(state && toSaveOptions(state)), alsoOnIpv6: true, onShutdownRequested },
    ).catch(async (error: unknown) => {
      await state?.release();
      throw withStateFile(error, options.state ?? "");
    });
    printMapping(context, sandbox.mapping);
    const isWatched = context.stdout.isTerminal && !json && !quiet;
    const form = log ? "ndjson" : isWatched && "live";
    return {
      kind: "stream",
      body: serveUntilStopped(context, { sandbox, state, name, json, form, stop }),
      // The live log sanitizes its lines.
      ...(form === "live" && { isForTerminal: true }),
    };
  },
});

const toSaveOptions = (state: StateFile): Pick<HostOptions, "saves" | "saveBeforeShutdown"> => ({
  saves: state.saves,
  saveBeforeShutdown: (sandbox) =>
    state.save(sandbox).then(
      () => null,
      () => state.saves().saveFailure,
    ),
});

/** Refuses the name of a sandbox that responds or may be busy. A locator file alone never blocks a start. */
async function refuseSecondSandbox(context: Context, name: string): Promise<void> {
  const running = await findSandbox(context, name).catch(async (error: unknown) => {
    if (!(error instanceof ClaimsError) || error.code !== "sandbox_state_invalid") throw error;
    printMessage(context, `warning: ${error.message}; it is replaced`);
    await removeDamagedLocator(context, name);
    return null;
  });
  if (running === null) return;
  const { url, pid } = running;
  const health = await checkSandboxHealth(context, running);
  if (health === "none") {
    await removeStaleLocator(context, running);
    return;
  }
  const down = `\`claims sandbox down${toNameFlag(name)}\``;
  const advice =
    health === "up" ? `stop it with ${down}` : `it does not respond; ${down} says how to stop it`;
  throw usageError("already_up", `the sandbox "${name}" is already up at ${url} (pid ${pid})`, {
    hint: `${advice}, or give the new one another --sandbox-name and --port 0`,
  });
}

/** Names the sandbox that uses the port, if it is one of this machine. */
async function startSandbox(
  context: Context,
  options: SandboxOptions,
  hostOptions: HostOptions,
): Promise<Sandbox> {
  try {
    return await startEmbeddedSandbox(context, options, hostOptions);
  } catch (error) {
    if (!(error instanceof ClaimsError) || error.code !== "port_in_use") throw error;
    const others = await listSandboxes(context);
    const other = others.find(({ url }) => new URL(url).port === String(options.port));
    throw rephraseError(error, {
      message: other
        ? `the sandbox "${other.name}" (pid ${other.pid}) uses port ${options.port}`
        : error.message,
      hint: PORT_HINT,
    });
  }
}

interface ServeOptions {
  readonly sandbox: Sandbox;
  readonly state: StateFile | null;
  readonly name: string;
  readonly json: boolean;
  /** Of the log, if there is one. */
  readonly form: "live" | "ndjson" | false;
  readonly stop: AbortController;
}

async function* serveUntilStopped(
  context: Context,
  { sandbox, state, name, json, form, stop }: ServeOptions,
) {
  const { url, instanceId, controlToken, credentials } = sandbox;
  const locator: Locator = { name, url, ...context.processes.own, controlToken, credentials };
  let isAnnounced = false;
  try {
    isAnnounced = await publishLocator(context, locator);
    const signal = AbortSignal.any([context.signal, stop.signal]);
    if (state) void autosave(context, sandbox, state, signal);
    if (json) yield readyLine(locator, { instanceId, controlToken, credentials });
    else if (form === "ndjson") yield readyLine(locator);
    else yield renderWelcome(locator, { isFindable: isAnnounced, hasKeys: form === "live" });
    if (form === "live") {
      const named = toNameFlag(name);
      const reset = async () => {
        await sandbox.reset();
        await updateLocatorCredentials(context, url, () => sandbox.credentials);
      };
      const quit = () => stop.abort();
      yield* streamLiveLog(context, { sandbox, state, named, quit, reset, signal });
    } else if (form === "ndjson") await writeEvents(context, sandbox, signal);
    else if (!signal.aborted) await once(signal, "abort");
  } finally {
    if (isAnnounced)
      await removeLocator(context, locator).catch(({ message }: Error) =>
        printMessage(context, `warning: cannot remove the locator file of this sandbox: ${message}`),
      );
    try {
      await state?.save(sandbox);
    } finally {
      await sandbox.close();
      await state?.release();
    }
    printMessage(context, "stopped");
  }
}

/** Without a locator file, other commands cannot find the sandbox, but it starts. */
async function publishLocator(context: Context, locator: Locator): Promise<boolean> {
  try {
    const startedAt = context.now();
    await writeLocator(context, locator);
    const isRoot = context.processes.userId === 0;
    const warning = isRoot ? await giveFilesToHomeOwner(context, startedAt) : null;
    if (warning !== null) printMessage(context, warning);
    return true;
  } catch (error) {
    if (!(error instanceof ClaimsError) || error.code !== "sandbox_state_unwritable") throw error;
    const reason = `${error.message}; ${error.hint}`;
    printMessage(context, `warning: other commands cannot find this sandbox: ${reason}`);
    return false;
  }
}

/**
 * For the program that started the sandbox (product.md §5).
 *
 * @param more with the secrets, which a log must not contain
 */
const readyLine = ({ url, pid }: Locator, more: object = {}): string =>
  `${JSON.stringify({ event: "ready", url, pid, ...more })}\n`;

/** Its lines have at most 80 columns. */
function renderWelcome(
  { name, url, pid, credentials }: Locator,
  { isDetached = false, isFindable = true, hasKeys = false },
): string {
  if (!isFindable)
    return `Sandbox ready at ${url} (pid ${pid})\nIts credentials are in the ready line of \`claims sandbox up --json\`.\n`;
  const isDefault = name === DEFAULT_SANDBOX;
  const commands = [
    ...(isDefault ? [] : [[`export CLAIMS_SANDBOX_NAME=${name}`, "selects it in a shell"]]),
    ["claims diligence submit FILE --seller-name NAME", "uses this sandbox"],
    ["claims sandbox env", "its credentials, as variables"],
    ["claims sandbox emit partner.test", "an event to its endpoint"],
    ["claims webhooks deliveries", "what became of it"],
    ["claims sandbox requests --watch", "what happens, as it happens"],
    ["claims sandbox inspect --open", `the same in a browser${hasKeys ? " (key o)" : ""}`],
    ["claims sandbox down", isDetached ? "stops it" : "stops it, as Ctrl-C does"],
  ];
  return [
    `Sandbox ready at ${url} (pid ${pid})`,
    "",
    `  webhook endpoint  ${credentials.webhook.endpointId}`,
    "",
    isDetached ? "It runs in the background." : "In another terminal:",
    ...commands.map(([line = "", effect]) => `  ${line.padEnd(47)}  ${effect}`),
    "",
  ].join("\n");
}

/** The option that other commands need to find a sandbox; empty for the default one. */
const toNameFlag = (name: string): string => (name === DEFAULT_SANDBOX ? "" : ` --sandbox-name ${name}`);
