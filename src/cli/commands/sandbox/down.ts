import { ClaimsError } from "../../../domain/errors.ts";
import {
  DEFAULT_SANDBOX,
  findSandbox,
  isRunning,
  type Locator,
  removeStaleLocator,
} from "../../connection/locator.ts";
import { checkSandboxHealth } from "../../connection/sandbox-answer.ts";
import type { Context } from "../../context.ts";
import { command } from "../../framework/command.ts";
import { findLocator, requireControl, sendControl } from "../../sandbox-control/control.ts";
import { sandboxNameOption } from "./options.ts";

/** Milliseconds that a sandbox may take to end its work and to write its state. */
const STOP_TIMEOUT_MS = 15_000;

export const down = command({
  name: "down",
  summary: "stop a sandbox; fine when there is none",
  remote: false,
  output: "record",
  options: sandboxNameOption,
  examples: ["claims sandbox down", "claims sandbox down --name ci"],
  async run(context, { options }) {
    const name = options.name ?? DEFAULT_SANDBOX;
    const { CLAIMS_CONTROL_URL: url } = context.env;
    // Within `sandbox exec` the default one is somebody else's, and what exec has started ends with its command.
    const isElsewhere = options.name === undefined && Boolean(url);
    const locator = isElsewhere
      ? await findLocator(context, await requireControl(context))
      : await findSandbox(context, name);
    const stopped = locator && (await stopSandbox(context, locator)) ? locator : null;
    const { name: known = isElsewhere ? null : name, pid = null } = stopped ?? {};
    const line = stopped
      ? `stopped the sandbox "${known}" (pid ${pid})`
      : `no sandbox ${isElsewhere ? `of \`claims sandbox up\` is up at ${url}` : `"${known}" is up`}`;
    return {
      kind: "record",
      id: stopped && known,
      json: { name: known, stopped: stopped !== null, pid },
      blocks: [{ kind: "paragraph", lines: [line] }],
    };
  },
});

/** Whether it was there to be stopped; a locator whose port refuses is cleared away, whoever has its pid by now. */
async function stopSandbox(context: Context, locator: Locator): Promise<boolean> {
  if ((await checkSandboxHealth(context, locator)) === "none") {
    await removeStaleLocator(context, locator);
    return false;
  }
  await sendControl(context, locator, "POST", "/shutdown");
  for (const deadline = context.now() + STOP_TIMEOUT_MS; context.now() < deadline; ) {
    if (!(await isRunning(context, locator))) return true;
    await context.sleep(20, context.signal);
  }
  throw new ClaimsError(
    "unreachable",
    "still_up",
    `the sandbox (pid ${locator.pid}) was asked to stop and is still up`,
    {
      hint:
        locator.pidNamespace === context.processes.own.pidNamespace
          ? `end it with: kill ${locator.pid}`
          : `end it where it runs, as in its container: its pid is ${locator.pid} there`,
    },
  );
}
