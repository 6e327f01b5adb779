import { appendFile, mkdir, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { AliasUse } from "../../client/alias-use.ts";
import { usageError } from "../../domain/errors.ts";
import { isRecord } from "../../domain/json.ts";
import type { Context } from "../context.ts";
import { describeFileError } from "../files/file-errors.ts";
import { withLock } from "../files/file-lock.ts";
import { resolveStateFolder } from "../files/folders.ts";
import { readRegularFile, refuseSpecialFile } from "../files/regular-file.ts";
import { printMessage } from "../output/stderr.ts";

/** One use of an alias by this machine. */
export interface LoggedAliasUse extends AliasUse {
  /** RFC 3339. */
  readonly at: string;
  readonly baseUrl: string;
}

/** Bytes from which a new log begins; the one before is kept. */
const MAX_LOG_BYTES = 1 << 20;

const logPath = (context: Context): string => join(resolveStateFolder(context), "aliases.ndjson");
const previousLogPath = (context: Context): string => join(resolveStateFolder(context), "aliases.1.ndjson");

/** Writes a use down. It has happened whether or not it can be: then there is a word about it. */
export async function logAliasUse(context: Context, use: LoggedAliasUse): Promise<void> {
  const path = logPath(context);
  try {
    await refuseSpecialFile(path);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    if ((await sizeOf(path)) > MAX_LOG_BYTES) await rotateLog(context, path);
    // One write: a process beside this one may append too.
    await appendFile(path, `${JSON.stringify(use)}\n`, { mode: 0o600 });
  } catch (error) {
    printMessage(context, `warning: the use of an alias could not be logged: ${describeFileError(error)}`);
  }
}

/** One process does it: a second would put the log that has just begun over the one that is kept. */
const rotateLog = (context: Context, path: string): Promise<void> =>
  withLock(context, path, async () => {
    if ((await sizeOf(path)) > MAX_LOG_BYTES) await rename(path, previousLogPath(context));
  });

/** Zero where the file does not exist: another process may have renamed it. */
const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? 0 : Promise.reject(error)),
  );

/** Every use that is in the log, the earliest first. A line that was cut off is left out. */
export async function readAliasLog(context: Context): Promise<LoggedAliasUse[]> {
  const texts = await Promise.all([previousLogPath(context), logPath(context)].map(readText));
  return texts.flatMap((text) => text.split("\n").flatMap(parseLine));
}

async function readText(path: string): Promise<string> {
  try {
    return await readRegularFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw usageError("alias_log_unreadable", `${path} cannot be read: ${describeFileError(error)}`, {
      hint: "remove it, or make it readable",
      cause: error,
    });
  }
}

function parseLine(line: string): LoggedAliasUse[] {
  try {
    const use: unknown = JSON.parse(line);
    return isLoggedAliasUse(use) ? [use] : [];
  } catch {
    return [];
  }
}

function isLoggedAliasUse(value: unknown): value is LoggedAliasUse {
  if (!isRecord(value)) return false;
  const { alias, at, canonicalPath, lifecycle } = value;
  const hasTexts = [canonicalPath, lifecycle].every((text) => text === null || typeof text === "string");
  return hasTexts && typeof alias === "string" && typeof at === "string" && !Number.isNaN(Date.parse(at));
}
