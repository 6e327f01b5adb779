import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ClaimsError, usageError } from "../../../../domain/errors.ts";
import { splitLines } from "../../../../domain/text.ts";
import { decodeText, parseJson } from "../../../../domain/webhooks/input-formats/delivery.ts";
import { isHttpRequest, parseHttpRequest } from "../../../../domain/webhooks/input-formats/http-request.ts";
import {
  type FieldPaths,
  findDeliveries,
  type LoggedDelivery,
} from "../../../../domain/webhooks/input-formats/log-record.ts";
import type { Context } from "../../../context.ts";
import { type InputFile, openInput, readWhole } from "../../../files/input-file.ts";

export interface FoundDelivery {
  /** The file, and the line or the position in it. */
  readonly source: string;
  readonly delivery: LoggedDelivery;
}

/** Far more than a delivery has; a longer one could become too long for a string. */
const MAX_LINE_LENGTH = 1 << 27;

/** Counts what was read and has no delivery. */
export interface Skipped {
  /** Records and lines without headers and body of a delivery. */
  records: number;
  /** Files of a folder in no known format. */
  readonly files: string[];
  /** Files without text. */
  readonly empty: string[];
  /** Files in gzip. */
  readonly compressed: string[];
  /** Folders without a file. */
  readonly folders: string[];
}

export const skipNothing = (): Skipped => ({ records: 0, files: [], empty: [], compressed: [], folders: [] });

/** Reads every delivery of files, of the files in folders, and of stdin for `-`, one at a time. */
export async function* readDeliveries(
  context: Context,
  paths: readonly string[],
  fields: FieldPaths,
  skipped: Skipped,
): AsyncGenerator<FoundDelivery> {
  for (const path of paths) {
    const found = path === "-" ? null : await stat(resolve(context.cwd, path)).catch(() => null);
    if (!found?.isDirectory()) {
      yield* readFile(context, path, fields, skipped);
      continue;
    }
    const entries = await readdir(resolve(context.cwd, path), { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
    if (names.length === 0) skipped.folders.push(path);
    for (const name of names.sort()) {
      try {
        yield* readFile(context, join(path, name), fields, skipped);
      } catch (error) {
        // Another kind of file in the folder.
        if (!(error instanceof ClaimsError) || error.code !== "invalid_input") throw error;
        skipped.files.push(name);
      }
    }
  }
}

async function* readFile(
  context: Context,
  path: string,
  fields: FieldPaths,
  skipped: Skipped,
): AsyncGenerator<FoundDelivery> {
  const file = await openInput(context, path);
  const { displayName } = file;
  const checkLength = (length: number) => {
    if (length > MAX_LINE_LENGTH)
      throw usageError(
        "invalid_input",
        `a line of ${displayName} has more than ${MAX_LINE_LENGTH} characters`,
        {
          hint: "write each delivery of the log in a line",
        },
      );
  };
  try {
    if (await isGzip(file)) {
      skipped.compressed.push(displayName);
      return;
    }
    let isEmpty = true;
    let number = 0;
    for await (const text of splitLines(file.chunks(), checkLength)) {
      const line = text.replace(/\r$/, "");
      number += 1;
      if (line.trim() === "") continue;
      isEmpty = false;
      if (number === 1 && isHttpRequest(decodeText(Buffer.from(line), displayName))) {
        yield { source: displayName, delivery: parseHttpRequest(await readWhole(file), displayName) };
        return;
      }
      const value = parseLine(line);
      if (value === undefined && number === 1 && /^\ufeff?\s*[[{]/.test(line)) {
        // A document over several lines.
        yield* find(parseJson(await readWhole(file), displayName), displayName, fields, skipped);
        return;
      }
      yield* find(value, `${displayName}:${number}`, fields, skipped);
    }
    if (isEmpty) skipped.empty.push(displayName);
  } finally {
    await file.close();
  }
}

/** By the first bytes (RFC 1952 §2.3.1). */
async function isGzip(file: InputFile): Promise<boolean> {
  for await (const [first, second] of file.chunks()) return first === 0x1f && second === 0x8b;
  return false;
}

/** The JSON of a line of a log, which may stand behind a time and a level. */
function parseLine(line: string): unknown {
  const at = line.search(/[[{]/);
  if (at < 0) return undefined;
  for (const text of [line.slice(at), line.slice(Math.max(line.indexOf("{"), 0))]) {
    try {
      return JSON.parse(text);
    } catch {
      // Another line of the log.
    }
  }
  return undefined;
}

function* find(
  value: unknown,
  source: string,
  fields: FieldPaths,
  skipped: Skipped,
): Generator<FoundDelivery> {
  let count = 0;
  for (const delivery of findDeliveries(value, fields)) {
    count += 1;
    if (!isOfService(delivery, fields)) skipped.records += 1;
    else yield { source: count === 1 ? source : `${source}#${count}`, delivery };
  }
  if (count === 0) skipped.records += 1;
}

/** Other requests in a HAR or a log have none of the headers of interface §6, not even under a similar name. */
const isOfService = ({ headers }: LoggedDelivery, fields: FieldPaths): boolean =>
  Object.keys(fields).length > 0 ||
  headers.some(([name]) => /service[-_](event|timestamp|signatur)/i.test(name));
