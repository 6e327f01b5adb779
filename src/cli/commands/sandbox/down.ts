import type { SaveFailure } from "../../../../sandbox/index.ts";
import { readMonotonic } from "../../../client/runtime.ts";
import { unreachableError } from "../../../domain/errors.ts";
import { formatTime } from "../../../domain/times.ts";
import {
  chooseSandboxName,
  findSandbox,
  isRunning,
  type Locator,
  removeStaleLocator,
} from "../../connection/locator.ts";
import { checkSandboxHealth } from "../../connection/sandbox-health.ts";
import type { Context } from "../../context.ts";
import { command } from "../../framework/command.ts";
import { sandboxNameOption } from "../../framework/options.ts";
import { toSentenceOutput } from "../../output/output.ts";
import { ControlClient, findLocator, requireControl } from "../../sandbox-control/control.ts";

/** Time to end running work and to write the state. */
const STOP_TIMEOUT_MS = 15_000;

export const down = command({
  name: "down",
  prints: "SandboxDown",
  summary: "stop a sandbox; succeeds when none is up",
  output: "record",
  options: sandboxNameOption,
  examples: ["claims sandbox down", "claims sandbox down --sandbox-name ci"],
  async run(context, { options }) {
    const name = chooseSandboxName(context, options);
    const { CLAIMS_CONTROL_URL: url } = context.env;
    // Within `sandbox exec`, the default sandbox belongs to another program, and exec stops its own.
    const isElsewhere = options.sandboxName === undefined && Boolean(url);
    const locator = isElsewhere
      ? await findLocator(context, await requireControl(context, options))
      : await findSandbox(context, name);
    const stop = locator && (await stopSandbox(context, locator));
    const stopped = stop ? locator : null;
    const { name: known = isElsewhere ? null : name, pid = null } = stopped ?? {};
    const line = stopped
      ? `stopped the sandbox "${known}" (pid ${pid})`
      : `no sandbox ${isElsewhere ? `of \`claims sandbox up\` is up at ${url}` : `"${known}" is up`}`;
    const output = toSentenceOutput(line, stopped && known, { name: known, stopped: stopped !== null, pid });
    return stop?.saveFailure ? { ...output, failure: notSavedError(stop.saveFailure) } : output;
  },
});

/** Null if the sandbox was not up. Clears its locator file if its port refuses, even if another process has its pid. */
async function stopSandbox(context: Context, locator: Locator) {
  const health = await checkSandboxHealth(context, locator);
  if (health === "none") {
    await removeStaleLocator(context, locator);
    return null;
  }
  if (health !== "up") throw stillUpError(context, locator, "does not respond", "kill -9");
  const input = { timeoutMs: STOP_TIMEOUT_MS };
  // A sandbox of an earlier version does not say whether it saved its state.
  const { saveFailure = null } = await new ControlClient(context, locator).send(
    "POST /shutdown",
    "status",
    input,
  );
  for (const deadline = readMonotonic(context) + STOP_TIMEOUT_MS; readMonotonic(context) < deadline; ) {
    if (!(await isRunning(context, locator))) return { saveFailure };
    await context.sleep(20, context.signal);
  }
  throw stillUpError(context, locator, "was asked to stop and is still up", "kill");
}

function stillUpError(context: Context, { pid, pidNamespace }: Locator, problem: string, kill: string) {
  const isHere = pidNamespace === context.processes.own.pidNamespace;
  return unreachableError("still_up", `the sandbox (pid ${pid}) ${problem}`, {
    hint: isHere
      ? `stop it with: ${kill} ${pid}`
      : `stop it where it runs, as in its container: its pid is ${pid} there`,
  });
}

const notSavedError = ({ since, message }: SaveFailure) =>
  unreachableError("state_not_saved", `its state is not saved since ${formatTime(since)}: ${message}`, {
    hint: "what happened since then is lost; make the file writable before the next start",
  });
