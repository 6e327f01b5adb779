import type { RestoredState } from "../../../../../sandbox/index.ts";
import { usageError } from "../../../../domain/errors.ts";
import { updateLocatorCredentials } from "../../../connection/locator.ts";
import type { Context } from "../../../context.ts";
import { openInput } from "../../../files/input-file.ts";
import { command } from "../../../framework/command.ts";
import { sandboxNameOption } from "../../../framework/options.ts";
import type { RecordOutput } from "../../../output/output.ts";
import { type ControlClient, requireControl } from "../../../sandbox-control/control.ts";
import { clockCard } from "../clock/show.ts";

/** A snapshot may be large, and the sandbox finishes running work first. */
export const SNAPSHOT_TIMEOUT_MS = 5 * 60_000;

export const snapshotLoad = command({
  name: "snapshot load",
  prints: "RestoredSandbox",
  summary: "restore a snapshot of a sandbox; its faults and its request log stay",
  output: "record",
  arguments: [{ name: "snapshot", help: "its name", isOptional: true }],
  options: {
    ...sandboxNameOption,
    file: { value: "file", help: "a file that `snapshot save --file` wrote; - reads stdin" },
  },
  examples: ["claims sandbox snapshot load before", "claims sandbox snapshot load --file bug-1234.snapshot"],
  async run(context, { args: { snapshot }, options, onEnd }) {
    if ((snapshot === undefined) === (options.file === undefined))
      throw usageError("missing_option", "give either the name of a snapshot or a --file", {
        hint: "`claims sandbox snapshot list` shows the names",
      });
    const control = await requireControl(context, options);
    const timeoutMs = SNAPSHOT_TIMEOUT_MS;
    if (snapshot !== undefined) {
      const input = { params: { name: snapshot }, timeoutMs };
      const restored = await control.send("POST /snapshots/{name}/load", "clock", input);
      return renderRestored(context, control, `snapshot "${snapshot}"`, restored);
    }
    const file = await openInput(context, options.file ?? "");
    onEnd(() => file.close());
    const restored = await control.send("PUT /state", "clock", { file, timeoutMs });
    return renderRestored(context, control, file.displayName, restored);
  },
});

/** Shows the restored state, and stores its credentials for other commands. */
export async function renderRestored(
  context: Context,
  control: ControlClient,
  source: string,
  { clock, credentials }: RestoredState,
): Promise<RecordOutput> {
  await updateLocatorCredentials(context, control.target.url, () => credentials);
  return {
    kind: "record",
    json: { clock },
    blocks: [{ kind: "paragraph", lines: [`Restored ${source}.`] }, clockCard(clock)],
  };
}
