import { ClaimsError } from "../../../domain/errors.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { askControl } from "../../control.ts";
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
    const { name = DEFAULT_SANDBOX } = options;
    const locator = await findSandbox(context, name);
    if (locator) await stop(context, locator);
    const line = locator
      ? `stopped the sandbox "${name}" (pid ${locator.pid})`
      : `no sandbox "${name}" is up`;
    return {
      kind: "record",
      id: locator && name,
      json: { name, stopped: locator !== null, pid: locator?.pid ?? null },
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
