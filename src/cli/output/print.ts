import { once } from "node:events";
import { resolve } from "node:path";
import type { Writable } from "node:stream";
import { ClaimsError } from "../../domain/errors.ts";
import { writeWhole } from "../atomic-file.ts";
import type { Context, OutputStream } from "../context.ts";
import type { GlobalOptions } from "../global-options.ts";
import { say } from "../say.ts";
import { cellText, tabbedLine } from "./cell-text.ts";
import { wantsColour } from "./colour.ts";
import { ChosenFields } from "./fields.ts";
import { type Format, formatOf } from "./format.ts";
import { listBytes } from "./list.ts";
import type { Block, Bytes, Output, RecordOutput } from "./output.ts";
import { renderForPipe } from "./piped.ts";
import { printableJson, printableText, rewritten } from "./printable.ts";

type PrintOptions = Partial<
  Pick<GlobalOptions, "json" | "ndjson" | "csv" | "quiet" | "fields" | "out" | "color">
>;

/** Prints what a command has to say: to a person, to a program, or into a file. */
export async function print(output: Output, context: Context, global: PrintOptions): Promise<void> {
  if (output.kind === "nothing") return;
  const { cwd, signal, stdout } = context;
  const toFile = global.out !== undefined && global.out !== "-";
  const asked = formatOf(global);
  // What people read on a terminal is of no use in a file.
  const format = toFile && asked === "text" ? "json" : asked;
  const chosen = global.fields && new ChosenFields(global.fields);
  const bytes = await bytesOf(output, context, { format, chosen, color: global.color });
  if (toFile) {
    const mode = output.kind === "stream" && output.secret ? 0o600 : 0o666;
    await writeWhole(resolve(cwd, global.out), bytes, { mode, signal });
  } else await writeAll(stdout, stdout.isTerminal ? safeForTerminal(output, bytes, format) : bytes);
  const warning = chosen?.warning();
  if (warning) say(context, warning);
  if (output.kind !== "list" || format !== "text" || !stdout.isTerminal) return;
  for (const note of output.notes?.() ?? []) say(context, note);
}

/**
 * A pipe gets the bytes of the service as they came. A terminal would obey what is in them: JSON keeps its value by escapes,
 * and the rest gets the dots that tables have. What is drawn for a terminal has had them already, and is colours besides.
 */
function safeForTerminal(output: Output, bytes: Bytes, format: Format): Bytes {
  if (format === "json" || format === "ndjson") return rewritten(bytes, printableJson);
  const isDrawn = output.kind === "stream" ? output.isDrawn : format !== "csv";
  return isDrawn ? bytes : rewritten(bytes, printableText);
}

/** How to print. */
export interface Style {
  readonly format: Format;
  readonly chosen: ChosenFields | undefined;
  /** `--color` or `--no-color`, where given. */
  readonly color: boolean | undefined;
}

async function bytesOf(
  output: Exclude<Output, { kind: "nothing" }>,
  context: Context,
  style: Style,
): Promise<Bytes> {
  if (output.kind === "stream") return output.body;
  return output.kind === "list"
    ? listBytes(output, context, style)
    : [await recordText(output, context, style)];
}

async function recordText(
  output: RecordOutput,
  context: Context,
  { format, chosen, color }: Style,
): Promise<Uint8Array | string> {
  const { blocks, id, json } = output;
  if (format === "ids") return id ? tabbedLine([id]) : "";
  if (!chosen) return format === "json" ? jsonBytes(json) : render(blocks, context, color);
  const picked = chosen.pick(json instanceof Uint8Array ? decoded(json) : json);
  if (format === "json") return jsonBytes(picked);
  if (!context.stdout.isTerminal) return tabbedLine(Object.values(picked));
  const rows = Object.entries(picked).map(([name, value]) => [name, cellText(value) || null] as const);
  return render([{ kind: "card", rows }], context, color);
}

function decoded(json: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(json).toString("utf8"));
  } catch (cause) {
    throw new ClaimsError("unreachable", "unexpected_answer", "the answer is not JSON, so it has no fields", {
      hint: "leave out --fields to see it as it is",
      cause,
    });
  }
}

async function render(
  blocks: readonly Block[],
  { env, stdout: { isTerminal, columns: width } }: Context,
  flag: boolean | undefined,
): Promise<string> {
  if (!isTerminal) return renderForPipe(blocks);
  // What makes tables takes longer to load than most commands take.
  const { renderForTerminal } = await import("./blocks.ts");
  return renderForTerminal(blocks, { colour: wantsColour({ flag, env, isTerminal }), width });
}

const NEWLINE = 0x0a;

/** The service's own bytes as they are, but for a line feed at the end; our own objects as indented JSON. */
function jsonBytes(json: Uint8Array | object): Uint8Array | string {
  if (!(json instanceof Uint8Array)) return `${JSON.stringify(json, null, 2)}\n`;
  return json.at(-1) === NEWLINE ? json : Buffer.concat([json, Buffer.from("\n")]);
}

async function writeAll({ writable }: OutputStream, body: Bytes): Promise<void> {
  for await (const chunk of body) {
    if (writable.destroyed) return;
    if (!writable.write(chunk)) await drained(writable);
  }
}

/** Resolves when there is room again, or nobody who reads. */
async function drained(writable: Writable): Promise<void> {
  const settled = new AbortController();
  const { signal } = settled;
  try {
    await Promise.race([once(writable, "drain", { signal }), once(writable, "close", { signal })]);
  } finally {
    settled.abort();
  }
}
