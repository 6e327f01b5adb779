import type { ActivityEvent, DroppedEvents } from "../../../../../sandbox/index.ts";
import { readLines } from "../../../../domain/text.ts";
import type { Context } from "../../../context.ts";
import type { GlobalOptions } from "../../../framework/options.ts";
import { shouldUseColour } from "../../../output/format.ts";
import type { StreamOutput } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { type ControlClient, NO_TIMEOUT_MS } from "../../../sandbox-control/control.ts";

/** The first line, and those of what happened. */
type StreamedEvent = { readonly event: "ready"; readonly url: string } | ActivityEvent | DroppedEvents;

/** Prints the lines of the live log of a sandbox in another process; a filter leaves only requests. */
export function watchActivity(
  context: Context,
  control: ControlClient,
  filter: { readonly operation: string | undefined; readonly status: string | undefined },
  { json = false, ndjson = false, color }: GlobalOptions,
): StreamOutput {
  const lines = readLines(control.stream("GET /activity", { query: filter, timeoutMs: NO_TIMEOUT_MS }));
  const { stdout, env } = context;
  const isForPrograms = json || ndjson;
  const colour = shouldUseColour({ flag: color, env, isTerminal: stdout.isTerminal });
  return {
    kind: "stream",
    body: isForPrograms ? terminate(lines) : renderEvents(context, lines, colour),
    // The renderer sanitizes what comes from requests.
    ...(!isForPrograms && { isForTerminal: true }),
  };
}

async function* terminate(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

async function* renderEvents(context: Context, lines: AsyncIterable<string>, colour: boolean) {
  const { createActivityRenderer } = await import("../../../output/activity-text.ts");
  const { stdout } = context;
  const render = createActivityRenderer(colour, () => (stdout.isTerminal ? stdout.columns : 0));
  for await (const line of lines) {
    const event = JSON.parse(line) as StreamedEvent;
    if ("event" in event && event.event === "ready")
      printMessage(context, `watching the sandbox at ${event.url}, until Ctrl-C`);
    else yield render(event);
  }
}
