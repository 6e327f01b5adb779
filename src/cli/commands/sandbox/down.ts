import { readMonotonic } from "../../../client/runtime.ts";
import { unreachableError } from "../../../domain/errors.ts";
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
    const stopped = locator && (await stopSandbox(context, locator)) ? locator : null;
    const { name: known = isElsewhere ? null : name, pid = null } = stopped ?? {};
    const line = stopped
      ? `stopped the sandbox "${known}" (pid ${pid})`
      : `no sandbox ${isElsewhere ? `of \`claims sandbox up\` is up at ${url}` : `"${known}" is up`}`;
    return toSentenceOutput(line, stopped && known, { name: known, stopped: stopped !== null, pid });
  },
});

/** Returns whether the sandbox was up. Clears its state file if its port refuses, even if another process has its pid. */
async function stopSandbox(context: Context, locator: Locator): Promise<boolean> {
  if ((await checkSandboxHealth(context, locator)) === "none") {
    await removeStaleLocator(context, locator);
    return false;
  }
  await new ControlClient(context, locator).fetch("POST /shutdown");
  for (const deadline = readMonotonic(context) + STOP_TIMEOUT_MS; readMonotonic(context) < deadline; ) {
    if (!(await isRunning(context, locator))) return true;
    await context.sleep(20, context.signal);
  }
  const { pid, pidNamespace } = locator;
  throw unreachableError("still_up", `the sandbox (pid ${pid}) was asked to stop and is still up`, {
    hint:
      pidNamespace === context.processes.own.pidNamespace
        ? `stop it with: kill ${pid}`
        : `stop it where it runs, as in its container: its pid is ${pid} there`,
  });
}
