import { once } from "node:events";
import { resolve } from "node:path";
import type { Writable } from "node:stream";
import { unreachableError } from "../../domain/errors.ts";
import type { Context, OutputStream } from "../context.ts";
import { writeFileAtomically } from "../files/atomic-file.ts";
import type { GlobalOptions } from "../framework/options.ts";
import { formatCellText, formatTabbedLine } from "./cell-text.ts";
import { shouldUseColour } from "./colour.ts";
import { FieldSelection } from "./fields.ts";
import { chooseFormat, type Format } from "./format.ts";
import { renderList } from "./list.ts";
import type { Block, Chunks, Output, RecordOutput } from "./output.ts";
import { renderForPipe } from "./piped.ts";
import { rewriteChunks, sanitizeJson, sanitizeText } from "./sanitize.ts";
import { printMessage } from "./stderr.ts";

type PrintOptions = Partial<
  Pick<GlobalOptions, "json" | "ndjson" | "csv" | "quiet" | "fields" | "out" | "color">
>;

/** Prints what a command has to say: to a person, to a program, or into a file. */
export async function print(output: Output, context: Context, global: PrintOptions): Promise<void> {
  if (output.kind === "nothing") return;
  const { cwd, signal, stdout } = context;
  const toFile = global.out !== undefined && global.out !== "-";
  const asked = chooseFormat(global);
  // What people read on a terminal is of no use in a file.
  const format = toFile && asked === "text" ? "json" : asked;
  const chosen = global.fields && new FieldSelection(global.fields);
  const bytes = await renderOutput(output, context, { format, selection: chosen, color: global.color });
  if (toFile) {
    const mode = output.kind === "stream" && output.isSecret ? 0o600 : 0o666;
    await writeFileAtomically(resolve(cwd, global.out), bytes, { mode, signal });
  } else await writeAll(stdout, stdout.isTerminal ? sanitizeForTerminal(output, bytes, format) : bytes);
  const warning = chosen?.warning();
  if (warning) printMessage(context, warning);
  if (output.kind !== "list" || format !== "text" || !stdout.isTerminal) return;
  for (const note of output.notes?.() ?? []) printMessage(context, note);
}

/**
 * A pipe gets the bytes of the service as they came. A terminal would obey what is in them: JSON keeps its value by escapes,
 * and the rest gets the dots that tables have. What is drawn for a terminal has had them already, and is colours besides.
 */
function sanitizeForTerminal(output: Output, bytes: Chunks, format: Format): Chunks {
  if (format === "json" || format === "ndjson") return rewriteChunks(bytes, sanitizeJson);
  const isDrawn = output.kind === "stream" ? output.isForTerminal : format !== "csv";
  return isDrawn ? bytes : rewriteChunks(bytes, sanitizeText);
}

/** How to print. */
export interface PrintStyle {
  readonly format: Format;
  readonly selection: FieldSelection | undefined;
  /** `--color` or `--no-color`, where given. */
  readonly color: boolean | undefined;
}

async function renderOutput(
  output: Exclude<Output, { kind: "nothing" }>,
  context: Context,
  style: PrintStyle,
): Promise<Chunks> {
  if (output.kind === "stream") return output.body;
  return output.kind === "list"
    ? renderList(output, context, style)
    : [await renderRecord(output, context, style)];
}

async function renderRecord(
  output: RecordOutput,
  context: Context,
  { format, selection: chosen, color }: PrintStyle,
): Promise<Uint8Array | string> {
  const { blocks, id, json } = output;
  if (format === "ids") return id ? formatTabbedLine([id]) : "";
  if (!chosen) return format === "json" ? encodeJson(json) : renderBlocks(blocks, context, color);
  const picked = chosen.pick(json instanceof Uint8Array ? parseJson(json) : json);
  if (format === "json") return encodeJson(picked);
  if (!context.stdout.isTerminal) return formatTabbedLine(Object.values(picked));
  const rows = Object.entries(picked).map(([name, value]) => [name, formatCellText(value) || null] as const);
  return renderBlocks([{ kind: "card", rows }], context, color);
}

function parseJson(json: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(json).toString("utf8"));
  } catch (cause) {
    throw unreachableError("unexpected_response", "the answer is not JSON, so it has no fields", {
      hint: "leave out --fields to see it as it is",
      cause,
    });
  }
}

async function renderBlocks(
  blocks: readonly Block[],
  { env, stdout: { isTerminal, columns: width } }: Context,
  flag: boolean | undefined,
): Promise<string> {
  if (!isTerminal) return renderForPipe(blocks);
  // What makes tables takes longer to load than most commands take.
  const { renderForTerminal } = await import("./blocks.ts");
  return renderForTerminal(blocks, { colour: shouldUseColour({ flag, env, isTerminal }), width });
}

const NEWLINE = 0x0a;

/** The service's own bytes as they are, but for a line feed at the end; our own objects as indented JSON. */
function encodeJson(json: Uint8Array | object): Uint8Array | string {
  if (!(json instanceof Uint8Array)) return `${JSON.stringify(json, null, 2)}\n`;
  return json.at(-1) === NEWLINE ? json : Buffer.concat([json, Buffer.from("\n")]);
}

async function writeAll({ writable }: OutputStream, body: Chunks): Promise<void> {
  for await (const chunk of body) {
    if (writable.destroyed) return;
    if (!writable.write(chunk)) await waitForDrain(writable);
  }
}

/** Resolves when there is room again, or nobody who reads. */
async function waitForDrain(writable: Writable): Promise<void> {
  const settled = new AbortController();
  const { signal } = settled;
  try {
    await Promise.race([once(writable, "drain", { signal }), once(writable, "close", { signal })]);
  } finally {
    settled.abort();
  }
}
