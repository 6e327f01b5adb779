import type { SinkRequest } from "../../../../sandbox/index.ts";
import { EVENT_HEADER, headerValues } from "../../../domain/webhooks/headers.ts";
import { type ListColumn, toListOutput } from "../../output/output.ts";
import type { ControlClient } from "../../sandbox-control/control.ts";
import { controlCommand } from "../../sandbox-control/control-command.ts";

/** The seeded endpoint points at it. */
const DEFAULT_SINK = "default";

export const sink = controlCommand({
  name: "sink",
  prints: "SinkRequests",
  summary: "list the requests that a sandbox's built-in receiver got, with the verdict on each signature",
  output: "list",
  arguments: [{ name: "sink", help: "which receiver", default: DEFAULT_SINK, isOptional: true }],
  options: { clear: { help: "forget the requests" } },
  examples: [
    "claims sandbox sink",
    "claims sandbox sink shaky --json | jq -r '.[].verdict'",
    "claims sandbox sink --clear",
  ],
  async run(control, { args: { sink: name = DEFAULT_SINK }, options }) {
    const operation = options.clear ? "DELETE /sinks/{name}" : "GET /sinks/{name}";
    return toListOutput({
      items: await control.list(operation, { params: { name } }),
      columns: COLUMNS,
      idOf: ({ number }) => String(number),
      emptyMessage: options.clear ? `the sink "${name}" is empty` : await describeEmpty(control, name),
    });
  },
});

const COLUMNS: readonly ListColumn<SinkRequest>[] = [
  { name: "number", title: "no.", align: "right" },
  { name: "at", display: ({ at }) => at.replace(/\.\d+Z$/, "Z") },
  { name: "method", isHidden: true },
  // The sender's claim; the verdict says whether it is true.
  { name: "event", value: ({ headers }) => headerValues(headers, EVENT_HEADER)[0] ?? null },
  { name: "size", title: "bytes", align: "right" },
  { name: "verdict" },
  { name: "responseStatus", title: "response", align: "right" },
  { name: "reason", isHidden: true },
];

async function describeEmpty(control: ControlClient, name: string): Promise<string> {
  const others = (await control.list("GET /sinks")).map((each) => each.name).filter((each) => each !== name);
  const known = others.length === 0 ? "" : `; sinks with requests: ${others.join(", ")}`;
  return `the sink "${name}" got no request${known}`;
}
