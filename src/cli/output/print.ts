import { Buffer } from "node:buffer";
import { once } from "node:events";
import { extname, resolve } from "node:path";
import type { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { unreachableError } from "../../domain/errors.ts";
import { parseJsonText } from "../../domain/json.ts";
import type { Context, OutputStream } from "../context.ts";
import { type Chunks, writeFileAtomically } from "../files/atomic-file.ts";
import { toStdoutError } from "../files/file-errors.ts";
import type { GlobalOptions } from "../framework/options.ts";
import { formatCellText, formatTabbedLine } from "./cell-text.ts";
import { chooseFormat, FieldSelection, type Format, type PrintStyle } from "./format.ts";
import { formatId, renderList } from "./list.ts";
import type { Block, Output, RecordOutput } from "./output.ts";
import { listFields } from "./record-card.ts";
import { rewriteChunks, sanitizeJson, sanitizeLine, sanitizeText } from "./sanitize.ts";
import { printMessage } from "./stderr.ts";

type PrintOptions = Partial<Pick<GlobalOptions, "json" | "ndjson" | "csv" | "quiet" | "fields" | "out">>;

export async function print(output: Output, context: Context, options: PrintOptions): Promise<void> {
  if (output.kind === "nothing") return;
  const { cwd, signal, stdout } = context;
  const toFile = options.out !== undefined && options.out !== "-";
  const given = chooseFormat(options);
  // A file gets JSON instead of the tables of a terminal.
  const format = toFile && given === "text" ? "json" : given;
  const selection = options.fields && new FieldSelection(options.fields);
  const style = { format, selection };
  let chunks: Chunks;
  if (output.kind === "stream") chunks = output.body;
  else if (output.kind === "list") chunks = renderList(output, context, style);
  else chunks = [await renderRecord(output, context, style)];
  if (toFile) {
    const mode = output.kind === "stream" && output.isSecret ? 0o600 : 0o666;
    await writeFileAtomically(resolve(cwd, options.out), chunks, { mode, signal });
    const isNamed = given !== "text" || output.kind === "stream" || extname(options.out) === ".json";
    if (!isNamed) printMessage(context, `wrote ${options.out} as JSON`);
  } else await writeAll(stdout, stdout.isTerminal ? sanitizeForTerminal(output, chunks, format) : chunks);
  if (output.kind !== "list" || format !== "text") return;
  if (!stdout.isTerminal && !output.hasNotesForPipes) return;
  for (const note of (await output.notes?.()) ?? []) printMessage(context, note);
}

/** JSON on a terminal gets escapes for control characters, and other text dots; a pipe gets the unchanged bytes. */
function sanitizeForTerminal(output: Output, chunks: Chunks, format: Format): Chunks {
  if (format === "json" || format === "ndjson") return rewriteChunks(chunks, sanitizeJson);
  const isForTerminal = output.kind === "stream" ? output.isForTerminal : format !== "csv";
  return isForTerminal ? chunks : rewriteChunks(chunks, sanitizeText);
}

async function renderRecord(
  { blocks, id, json, record }: RecordOutput,
  { stdout }: Context,
  { format, selection }: PrintStyle,
): Promise<Uint8Array | string> {
  if (format === "ids") return formatId(id);
  if (!selection) return format === "json" ? encodeJson(json) : renderBlocks(blocks, stdout);
  const sent = json instanceof Uint8Array ? parseJson(json) : json;
  const picked = selection.pick(sent, record ?? (json instanceof Uint8Array ? sent : json));
  selection.throwIfMissing();
  if (format === "json") return encodeJson(picked);
  if (!stdout.isTerminal) return formatTabbedLine(Object.values(picked));
  const rows = Object.entries(picked).map(([name, value]) => [name, formatCellText(value) || null] as const);
  return renderBlocks([{ kind: "card", section: "", rows }], stdout);
}

function parseJson(json: Uint8Array): unknown {
  const value = parseJsonText(Buffer.from(json).toString("utf8"));
  if (value !== undefined) return value;
  throw unreachableError("unexpected_response", "the response is not JSON, so it has no fields", {
    hint: "leave out --fields to see the response",
  });
}

async function renderBlocks(blocks: readonly Block[], stdout: OutputStream): Promise<string> {
  if (!stdout.isTerminal) return blocks.map(renderBlockForPipe).join("");
  // Loading the table renderer takes longer than most commands.
  const { renderForTerminal } = await import("./blocks.ts");
  return renderForTerminal(blocks, stdout);
}

/** Tab-separated rows without header and advice. The line of a card is section, field and value. */
function renderBlockForPipe(block: Block): string {
  if (block.kind === "paragraph")
    return block.isAdvice ? "" : block.lines.map((line) => `${sanitizeLine(line)}\n`).join("");
  const { section } = block;
  const rows =
    block.kind === "table"
      ? (block.values ?? block.rows)
      : block.record
        ? listFields(block.record)
        : block.rows;
  return rows.map((row) => formatTabbedLine(section === undefined ? row : [section, ...row])).join("");
}

const LINE_FEED = 0x0a;

/** The unchanged bytes of the service with a final line feed, if any; our own objects as indented JSON. */
function encodeJson(json: Uint8Array | object): Uint8Array | string {
  if (!(json instanceof Uint8Array)) return `${JSON.stringify(json, null, 2)}\n`;
  return json.length === 0 || json.at(-1) === LINE_FEED ? json : Buffer.concat([json, Buffer.from("\n")]);
}

/** @throws ClaimsError `cannot_write` */
async function writeAll({ writable }: OutputStream, chunks: Chunks): Promise<void> {
  let failure: Error | null = null;
  const keepFailure = (error: Error | null | undefined) => {
    failure ??= error ?? null;
  };
  writable.on("error", keepFailure);
  try {
    for await (const chunk of chunks) {
      if (failure || writable.destroyed) break;
      if (!writable.write(chunk, keepFailure)) await waitForDrain(writable);
    }
    await new Promise<void>((resolve) => writable.write("", () => resolve()));
    // The error event follows the callback.
    if (failure) await setImmediate();
  } finally {
    writable.off("error", keepFailure);
  }
  if (failure) throw toStdoutError(failure);
}

/** Waits until a stream takes more, or has ended. */
async function waitForDrain(writable: Writable): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const ends = ["drain", "close"].map((event) => once(writable, event, { signal }));
  // An error of the stream rejects both. The listener of the caller keeps it.
  await Promise.race(ends).catch(() => undefined);
  // Removes the listeners of the event that did not come: a long output waits often.
  waiting.abort();
}
