import { once } from "node:events";
import { resolve } from "node:path";
import type { Writable } from "node:stream";
import type { OutputStream } from "../context.ts";
import { writeWhole } from "./atomic-file.ts";
import { wantsColour } from "./colour.ts";
import type { Block, Output } from "./output.ts";

export interface PrintOptions {
  readonly json: boolean;
  /** A file instead of stdout; `-` is stdout. */
  readonly out: string | undefined;
  readonly color: boolean | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** What a relative file name is relative to. */
  readonly cwd: string;
}

/** Prints what a command has to say: to a person, to a program, or into a file. */
export async function print(output: Output, stdout: OutputStream, options: PrintOptions): Promise<void> {
  if (output.kind === "nothing") return;
  if (options.out !== undefined && options.out !== "-") {
    const content = output.kind === "stream" ? output.body : [jsonBytes(output.json)];
    return writeWhole(resolve(options.cwd, options.out), content, {
      mode: output.kind === "stream" && output.secret ? 0o600 : 0o666,
      signal: options.signal,
    });
  }
  if (output.kind === "stream") return writeAll(stdout, output.body);
  const text = options.json ? jsonBytes(output.json) : await render(output.blocks, stdout, options);
  return writeAll(stdout, [text]);
}

async function render(
  blocks: readonly Block[],
  stdout: OutputStream,
  options: PrintOptions,
): Promise<string> {
  const { renderForPipe, renderForTerminal } = await import("./blocks.ts");
  const { isTerminal } = stdout;
  return isTerminal
    ? renderForTerminal(blocks, wantsColour({ flag: options.color, env: options.env, isTerminal }))
    : renderForPipe(blocks);
}

const NEWLINE = 0x0a;

/** The service's own bytes as they are, but for a line feed at the end; our own objects as indented JSON. */
function jsonBytes(json: Uint8Array | object): Uint8Array | string {
  if (!(json instanceof Uint8Array)) return `${JSON.stringify(json, null, 2)}\n`;
  return json.at(-1) === NEWLINE ? json : Buffer.concat([json, Buffer.from("\n")]);
}

async function writeAll(
  { writable }: OutputStream,
  body: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
): Promise<void> {
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
