import { Buffer } from "node:buffer";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ClaimsError } from "../../../../domain/errors.ts";
import { splitLines } from "../../../../domain/text.ts";
import { inputError } from "../../../../domain/webhooks/input-formats/delivery.ts";
import {
  type FieldPaths,
  type FindOptions,
  findDeliveries,
} from "../../../../domain/webhooks/input-formats/find-deliveries.ts";
import {
  isWithoutNames,
  mentionsServiceHeader,
} from "../../../../domain/webhooks/input-formats/header-notation.ts";
import { addFacts } from "../../../../domain/webhooks/input-formats/logged-delivery.ts";
import {
  type FoundDelivery,
  type ReadNotes,
  readDocument,
} from "../../../../domain/webhooks/input-formats/read-document.ts";
import { readLine } from "../../../../domain/webhooks/input-formats/split-records.ts";
import type { Context } from "../../../context.ts";
import { type InputFile, openInput, readWhole } from "../../../files/input-file.ts";
import { type ContainedFile, gunzip, unpack } from "../input-formats/containers.ts";

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

/** Reads every delivery of files, of the files in folders and archives, and of stdin for `-`, one at a time. */
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
  const options = { paths, gunzip };
  try {
    if (file.size > MAX_WHOLE_BYTES && !(await isContainer(file))) {
      yield* readByLine(file, options, skipped);
      return;
    }
    const files = unpack(await readWhole(file), file.displayName);
    const responses = new Map(files.flatMap(readResponse));
    const incomplete: (ContainedFile & { found: readonly FoundDelivery[] })[] = [];
    for (const { name, bytes } of files) {
      if (bytes.toString("latin1", 0, 1_024).trim() === "" && bytes.toString("latin1").trim() === "") {
        skipped.empty.push(name);
        continue;
      }
      const status = responses.get(stemOf(name));
      const facts = new Map(status === undefined ? [] : [["status", status]]);
      const found = readDocument(bytes, name, options, skipped)
        .filter(
          ({ form, delivery }) =>
            form !== "raw request" || files.length === 1 || mentionsServiceHeader(String(delivery.headers)),
        )
        .map((each) => ({ ...each, delivery: addFacts(each.delivery, facts) }));
      if (found.some(({ delivery }) => delivery.lacks === null)) yield* found;
      else if (!RESPONSE.test(bytes.toString("latin1", 0, 64))) incomplete.push({ name, bytes, found });
    }
    const together = readTogether(incomplete, file.displayName, options);
    yield* together;
    for (const { name, found } of together.length > 0 ? [] : incomplete) {
      yield* found;
      if (found.length === 0) skipped.files.push(name);
    }
  } finally {
    await file.close();
  }
}

const LINE_END = Buffer.from("\n");

/** Headers can be in the log of a proxy, and bodies in that of the program behind it. */
function readTogether(files: readonly ContainedFile[], shownAs: string, options: FindOptions) {
  if (files.length < 2) return [];
  const bytes = Buffer.concat(files.flatMap((each) => [each.bytes, LINE_END]));
  const found = readDocument(bytes, shownAs, options, { skipped: 0, fields: [] });
  return found.filter(({ delivery }) => delivery.lacks === null);
}

const RESPONSE = /^HTTP\/\d(?:\.\d)? ([1-5]\d\d)\b/;

/** The name of a file of a request or a response without what tells the two apart, as Fiddler writes `01_c.txt` and `01_s.txt`. */
const stemOf = (name: string): string =>
  name.replace(/[-_.](?:c|s|re[qs]|resp|request|response)(?=\.\w+$|$)/i, "");

function readResponse({ name, bytes }: ContainedFile): [stem: string, status: string][] {
  const [, status] = RESPONSE.exec(bytes.toString("latin1", 0, 64)) ?? [];
  return status === undefined ? [] : [[stemOf(name), status]];
}

async function isContainer(file: InputFile): Promise<boolean> {
  for await (const [first, second] of file.chunks())
    return (first === 0x1f && second === 0x8b) || (first === 0x50 && second === 0x4b);
  return false;
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
    const found = findDeliveries(readLine(line), { ...options, isPlain: isWithoutNames(line) });
    if (found.length === 0) skipped.skipped += 1;
    for (const delivery of found)
      yield { source: `${file.displayName}:${number}`, form: "log" as const, delivery };
  }
}
