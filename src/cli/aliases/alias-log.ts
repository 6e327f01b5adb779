import { appendFile, mkdir, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { AliasUse } from "../../client/alias-use.ts";
import { ClaimsError } from "../../domain/errors.ts";
import { isRecord } from "../../domain/json.ts";
import type { Context } from "../context.ts";
import { withLock } from "../file-lock.ts";
import { fileProblem } from "../file-problem.ts";
import { stateFolder } from "../folders.ts";
import { readRegular, refuseSpecial } from "../regular-file.ts";
import { say } from "../say.ts";

/** One use of an alias by this machine. */
export interface LoggedUse extends AliasUse {
  /** RFC 3339. */
  readonly at: string;
  readonly baseUrl: string;
}

/** Bytes from which a new log begins; the one before is kept. */
const FULL = 1 << 20;

const logFileOf = (context: Context): string => join(stateFolder(context), "aliases.ndjson");
const olderLogOf = (context: Context): string => join(stateFolder(context), "aliases.1.ndjson");

/** Writes a use down. It has happened whether or not it can be: then there is a word about it. */
export async function logUse(context: Context, use: LoggedUse): Promise<void> {
  const path = logFileOf(context);
  try {
    await refuseSpecial(path);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const { size } = await stat(path).catch(() => ({ size: 0 }));
    if (size > FULL) await beginAnew(context, path);
    // One write: a process beside this one may append too.
    await appendFile(path, `${JSON.stringify(use)}\n`, { mode: 0o600 });
  } catch (error) {
    say(context, `warning: the use of an alias could not be logged: ${fileProblem(error)}`);
  }
}

/** One process does it: a second would put the log that has just begun over the one that is kept. */
const beginAnew = (context: Context, path: string): Promise<void> =>
  withLock(context, path, async () => {
    const { size } = await stat(path);
    if (size > FULL) await rename(path, olderLogOf(context));
  });

/** Every use that is in the log, the earliest first. A line that was cut off is left out. */
export async function readUses(context: Context): Promise<LoggedUse[]> {
  const texts = await Promise.all([olderLogOf(context), logFileOf(context)].map(textOf));
  return texts.flatMap((text) => text.split("\n").flatMap(useIn));
}

async function textOf(path: string): Promise<string> {
  try {
    return await readRegular(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw new ClaimsError("usage", "alias_log_unreadable", `${path} cannot be read: ${fileProblem(error)}`, {
      hint: "remove it, or make it readable",
      cause: error,
    });
  }
}

function useIn(line: string): LoggedUse[] {
  try {
    const use: unknown = JSON.parse(line);
    return isLoggedUse(use) ? [use] : [];
  } catch {
    return [];
  }
}

function isLoggedUse(value: unknown): value is LoggedUse {
  if (!isRecord(value)) return false;
  const { alias, at, canonicalPath, lifecycle } = value;
  const told = [canonicalPath, lifecycle].every((text) => text === null || typeof text === "string");
  return told && typeof alias === "string" && typeof at === "string" && !Number.isNaN(Date.parse(at));
}
