import type { SandboxCredentials } from "../../../../../sandbox/index.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { updateLocatorCredentials } from "../../../connection/locator.ts";
import type { Context } from "../../../context.ts";
import { openInput } from "../../../files/input-file.ts";
import { command } from "../../../framework/command.ts";
import type { RecordOutput } from "../../../output/output.ts";
import {
  type ControlRequest,
  type ControlTarget,
  controlPath,
  readControl,
  requireControl,
} from "../../../sandbox-control/control.ts";
import { type ClockState, clockCard } from "../clock/show.ts";
import { sandboxNameOption } from "../options.ts";

/** Milliseconds: a snapshot may be large, and what runs in the sandbox is waited for. */
export const SNAPSHOT_TIMEOUT_MS = 5 * 60_000;

export const snapshotLoad = command({
  name: "snapshot load",
  summary: "put a sandbox into the state of a snapshot; its faults and its journal stay",
  remote: false,
  output: "record",
  arguments: [{ name: "snapshot", help: "its name", isOptional: true }],
  options: {
    ...sandboxNameOption,
    file: { value: "file", help: "a document that `snapshot save --file` wrote; - reads stdin" },
  },
  examples: ["claims sandbox snapshot load before", "claims sandbox snapshot load --file bug-1234.snapshot"],
  async run(context, { args, options, onEnd }) {
    const { snapshot } = args;
    const { file: path } = options;
    if ((snapshot === undefined) === (path === undefined)) throw ambiguousSource();
    const control = await requireControl(context, options.name);
    if (snapshot !== undefined)
      return restoreState(
        context,
        control,
        `at the snapshot "${snapshot}" again`,
        "POST",
        `${snapshotPath(snapshot)}/load`,
      );
    const file = await openInput(context, path ?? "");
    onEnd(() => file.close());
    return restoreState(context, control, `in the state of ${file.displayName}`, "PUT", "/state", { file });
  },
});

export const snapshotPath = (snapshot: string): string => controlPath("snapshots", snapshot);

const ambiguousSource = (): ClaimsError =>
  new ClaimsError("usage", "no_snapshot", "a snapshot is loaded by its name, or from a --file", {
    hint: "`claims sandbox snapshot list` shows the names",
  });

/** What the control API tells of a sandbox that has been put into another state. */
interface RestoredState {
  readonly clock: ClockState;
  readonly credentials: SandboxCredentials;
}

/**
 * Puts a sandbox into another state; other commands find the credentials that it has then.
 *
 * @param stateName what a person is told of that state, as in `in its seeded state again`
 */
export async function restoreState(
  context: Context,
  control: ControlTarget,
  stateName: string,
  ...[method, path, options]: ControlRequest
): Promise<RecordOutput> {
  const { clock, credentials } = await readControl<RestoredState>(context, control, "clock", method, path, {
    timeoutMs: SNAPSHOT_TIMEOUT_MS,
    ...options,
  });
  await updateLocatorCredentials(context, control.url, () => credentials);
  return {
    kind: "record",
    id: clock.now,
    json: { clock },
    blocks: [{ kind: "paragraph", lines: [`The sandbox is ${stateName}.`] }, clockCard(clock)],
  };
}
