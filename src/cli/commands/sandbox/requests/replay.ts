import type { ReplayResult } from "../../../../../sandbox/index.ts";
import { command } from "../../../framework/command.ts";
import { printMessage } from "../../../output/stderr.ts";
import { controlPath, readControl, requireControl } from "../../../sandbox-control/control.ts";
import { sandboxNameOption } from "../options.ts";
import { requestArgument } from "./filter-options.ts";
import { renderRequest } from "./render-request.ts";

/** Milliseconds: the answer to the request is waited for. */
const REPLAY_TIMEOUT_MS = 65_000;

export const requestsReplay = command({
  name: "requests replay",
  summary: "send a request to a sandbox again, byte for byte, and compare the answers",
  remote: false,
  output: "record",
  arguments: [requestArgument],
  options: {
    ...sandboxNameOption,
    newKey: { help: "with an Idempotency-Key of its own, so that it is carried out again" },
  },
  examples: [
    "claims sandbox requests replay 12",
    "claims sandbox requests replay 12 --new-key --json | jq .same",
  ],
  async run(context, { args, options }) {
    const control = await requireControl(context, options.name);
    const path = controlPath("requests", args.request, "replay");
    const replay = await readControl<ReplayResult>(context, control, "entry", "POST", path, {
      body: { newKey: options.newKey ?? false },
      timeoutMs: REPLAY_TIMEOUT_MS,
    });
    const { entry, same } = replay;
    printMessage(context, `request ${entry.number} repeats ${args.request}: ${describeComparison(same)}`);
    return { kind: "record", id: String(entry.number), json: replay, blocks: renderRequest(entry) };
  },
});

function describeComparison(same: boolean | null): string {
  if (same === null) return "the first one has no answer to compare with";
  return same ? "the same answer" : "another answer";
}
