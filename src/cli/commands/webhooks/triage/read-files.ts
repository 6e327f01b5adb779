import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { recognizeForeignFile } from "../../../../domain/entries/csv/file-kind.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { splitLines } from "../../../../domain/text.ts";
import { inputError } from "../../../../domain/webhooks/input-formats/delivery.ts";
import {
  type FieldPaths,
  type FindOptions,
  findDeliveries,
} from "../../../../domain/webhooks/input-formats/find-deliveries.ts";
import { lacksHeaderNames } from "../../../../domain/webhooks/input-formats/header-notation.ts";
import {
  type FoundDelivery,
  placeAll,
  type ReadNotes,
  readDocument,
  readLine,
} from "../../../../domain/webhooks/input-formats/read-document.ts";
import type { Context } from "../../../context.ts";
import { type InputFile, openInput, readWhole } from "../../../files/input-file.ts";
import { unpack } from "../input-formats/containers.ts";

/** Larger files are read a line at a time. */
const MAX_WHOLE_BYTES = 64 << 20;

/** Far more than a delivery has. */
const MAX_LINE_LENGTH = 32 << 20;

export interface Skipped extends ReadNotes {
  /** Files without a delivery, and why if it is known. */
  readonly files: string[];
  readonly empty: string[];
}

export const skipNothing = (): Skipped => ({ skipped: 0, fields: [], files: [], empty: [] });

/** Reads every delivery of files, of the files in folders, and of stdin for `-`, one at a time. */
export async function* readDeliveries(
  context: Context,
  paths: readonly string[],
  fields: FieldPaths,
  skipped: Skipped,
): AsyncGenerator<FoundDelivery> {
  for (const path of paths) {
    const names = await listFiles(context, path);
    if (names?.length === 0) skipped.files.push(`${path}, a folder without a file`);
    for (const name of names ?? [path]) {
      try {
        for await (const found of readFile(context, name, fields, skipped)) {
          context.signal.throwIfAborted();
          yield found;
        }
      } catch (error) {
        const isInvalid = error instanceof ClaimsError && error.code === "invalid_input";
        if (!isInvalid || (names === null && paths.length === 1)) throw error;
        // Another kind of file among several.
        skipped.files.push(error.message);
      }
    }
  }
}

async function listFiles(context: Context, path: string): Promise<readonly string[] | null> {
  const found = path === "-" ? null : await stat(resolve(context.cwd, path)).catch(() => null);
  if (!found?.isDirectory()) return null;
  const entries = await readdir(resolve(context.cwd, path), { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(path, entry.parentPath.slice(resolve(context.cwd, path).length), entry.name))
    .sort();
}

async function* readFile(context: Context, path: string, paths: FieldPaths, skipped: Skipped) {
  const file = await openInput(context, path);
  const options = { paths };
  const name = file.displayName;
  try {
    if (file.size > MAX_WHOLE_BYTES && (await isText(file))) {
      yield* readByLine(file, options, skipped);
      return;
    }
    const bytes = unpack(await readWhole(file), name);
    if (bytes.toString("latin1").trim() === "") {
      skipped.empty.push(name);
      return;
    }
    const found = readDocument(bytes, name, options, skipped);
    if (found.length === 0) skipped.files.push(name);
    yield* found;
  } finally {
    await file.close();
  }
}

async function isText(file: InputFile): Promise<boolean> {
  for await (const head of file.chunks()) return recognizeForeignFile(head) === null;
  return true;
}

async function* readByLine(file: InputFile, options: FindOptions, skipped: Skipped) {
  const checkLength = (length: number) => {
    if (length > MAX_LINE_LENGTH)
      throw inputError(
        `a record of ${file.displayName} has more than ${MAX_LINE_LENGTH >> 20} MiB`,
        "write each delivery of the log in a line",
      );
  };
  let number = 0;
  for await (const line of splitLines(file.chunks(), checkLength)) {
    number += 1;
    if (line.trim() === "") continue;
    const found = findDeliveries(readLine(line), { ...options, lacksHeaderNames: lacksHeaderNames(line) });
    if (found.length === 0) skipped.skipped += 1;
    yield* placeAll(found, `${file.displayName}:${number}`, "log");
  }
}
