import { printMessage } from "../../../output/stderr.ts";
import { controlCommand } from "../../../sandbox-control/control-command.ts";
import { requestArgument } from "./filter-options.ts";
import { renderRequest } from "./render-request.ts";

/** The sandbox waits for the response. */
const REPLAY_TIMEOUT_MS = 65_000;

export const requestsReplay = controlCommand({
  name: "requests replay",
  summary: "send a request to a sandbox again, byte for byte, and compare the responses",
  output: "record",
  arguments: [requestArgument],
  options: { newKey: { help: "use a new Idempotency-Key, so that the sandbox does the work again" } },
  examples: [
    "claims sandbox requests replay 12",
    "claims sandbox requests replay 12 --new-key --json | jq .same",
  ],
  async run(control, { args, options }, context) {
    const replay = await control.send("POST /requests/{number}/replay", "request", {
      params: { number: args.request },
      body: { newKey: options.newKey ?? false },
      timeoutMs: REPLAY_TIMEOUT_MS,
    });
    const { request, same } = replay;
    printMessage(context, `request ${request.number} repeats ${args.request}: ${describeComparison(same)}`);
    return { kind: "record", id: String(request.number), json: replay, blocks: renderRequest(request) };
  },
});

function describeComparison(same: boolean | null): string {
  if (same === null) return "the first one has no response to compare with";
  return same ? "same response" : "different response";
}
