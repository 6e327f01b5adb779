import { ClaimsError } from "../../../domain/errors.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { askControl, locatorOf, requireControl } from "../../control.ts";
import { DEFAULT_SANDBOX, findSandbox, type Locator } from "../../locator.ts";
import { sandboxName } from "./options.ts";

/** Milliseconds that a sandbox may take to end its work and to write its state. */
const PATIENCE = 15_000;

export const down = command({
  name: "down",
  summary: "stop a sandbox; fine when there is none",
  remote: false,
  answers: "record",
  options: sandboxName,
  examples: ["claims sandbox down", "claims sandbox down --name ci"],
  async run(context, { options }) {
    const name = options.name ?? DEFAULT_SANDBOX;
    const { CLAIMS_CONTROL_URL: url } = context.env;
    // Within `sandbox exec` the default one is somebody else's, and what exec has started ends with its command.
    const isElsewhere = options.name === undefined && Boolean(url);
    const locator = isElsewhere
      ? await locatorOf(context, await requireControl(context))
      : await findSandbox(context, name);
    if (locator) await stop(context, locator);
    const { name: known = isElsewhere ? null : name, pid = null } = locator ?? {};
    const line = locator
      ? `stopped the sandbox "${known}" (pid ${pid})`
      : `no sandbox ${isElsewhere ? `of \`claims sandbox up\` is up at ${url}` : `"${known}" is up`}`;
    return {
      kind: "record",
      id: locator && known,
      json: { name: known, stopped: locator !== null, pid },
      blocks: [{ kind: "paragraph", lines: [line] }],
    };
  },
});

async function stop(context: Context, locator: Locator): Promise<void> {
  await askControl(context, locator, "POST", "/shutdown");
  for (const deadline = context.now() + PATIENCE; context.now() < deadline; ) {
    if (!context.isAlive(locator.pid)) return;
    await context.sleep(20, context.signal);
  }
  throw new ClaimsError(
    "unreachable",
    "still_up",
    `the sandbox (pid ${locator.pid}) was asked to stop and is still up`,
    {
      hint: `end it with: kill ${locator.pid}`,
    },
  );
}
