import type { SinkRequest } from "../../../../sandbox/index.ts";
import { EVENT_HEADER, headerValues } from "../../../domain/webhooks/headers.ts";
import type { Context } from "../../context.ts";
import { command } from "../../framework/command.ts";
import { type ListColumn, toListOutput } from "../../output/output.ts";
import {
  type ControlTarget,
  controlPath,
  readControlList,
  requireControl,
} from "../../sandbox-control/control.ts";
import { sandboxNameOption } from "./options.ts";

/** The one that the seeded endpoint points at. */
const DEFAULT_SINK = "default";

export const sink = command({
  name: "sink",
  summary: "show what a sandbox's built-in receiver was sent, with the verdict on each signature",
  remote: false,
  output: "list",
  arguments: [{ name: "sink", help: `which receiver (${DEFAULT_SINK})`, isOptional: true }],
  options: { ...sandboxNameOption, clear: { help: "forget what it was sent" } },
  examples: [
    "claims sandbox sink",
    "claims sandbox sink shaky --json | jq -r '.[].verdict'",
    "claims sandbox sink --clear",
  ],
  async run(context, { args, options }) {
    const name = args.sink ?? DEFAULT_SINK;
    const control = await requireControl(context, options.name);
    const path = controlPath("sinks", name);
    const method = options.clear ? "DELETE" : "GET";
    const entries = await readControlList<SinkRequest>(context, control, method, path);
    return toListOutput<SinkRequest>({
      items: entries,
      columns: COLUMNS,
      idOf: ({ number }) => String(number),
      emptyMessage: options.clear
        ? `the sink "${name}" is empty`
        : await describeEmpty(context, control, name),
    });
  },
});

const COLUMNS: readonly ListColumn<SinkRequest>[] = [
  { name: "number", title: "no.", align: "right" },
  { name: "at", display: ({ at }) => at.replace(/\.\d+Z$/, "Z") },
  { name: "method", isHidden: true },
  // Told by the sender; whether it is true is the verdict's.
  { name: "event", value: ({ headers }) => headerValues(headers, EVENT_HEADER)[0] ?? null },
  { name: "size", title: "bytes", align: "right" },
  { name: "verdict" },
  { name: "answered", align: "right" },
  { name: "reason", isHidden: true },
];

async function describeEmpty(context: Context, control: ControlTarget, name: string): Promise<string> {
  const sinks = await readControlList<{ readonly name: string }>(context, control, "GET", "/sinks");
  const others = sinks.map((each) => each.name).filter((each) => each !== name);
  const known = others.length === 0 ? "" : `; there is ${others.join(", ")}`;
  return `the sink "${name}" was sent nothing${known}`;
}
