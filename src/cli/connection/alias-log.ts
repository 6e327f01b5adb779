import { appendFile, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { AliasUse } from "../../client/client.ts";
import { usageError } from "../../domain/errors.ts";
import { nullable, object, parseJsonAs, string, time } from "../../domain/shape.ts";
import type { Context } from "../context.ts";
import { describeFileError, recover } from "../files/file-errors.ts";
import { withLock } from "../files/file-lock.ts";
import { createFolder, resolveStateFolder } from "../files/folders.ts";
import { readRegularFile, refuseSpecialFile } from "../files/regular-file.ts";
import { printMessage } from "../output/stderr.ts";

export interface LoggedAliasUse extends AliasUse {
  /** RFC 3339. */
  readonly at: string;
  readonly baseUrl: string;
}

const useShape = object({
  alias: string,
  at: time,
  canonicalPath: nullable(string),
  lifecycle: nullable(string),
});

const MAX_LOG_BYTES = 1 << 20;

const logPath = (context: Context): string => join(resolveStateFolder(context), "aliases.ndjson");
const previousLogPath = (context: Context): string => join(resolveStateFolder(context), "aliases.1.ndjson");

/** Logs a use. A failure is a warning, because the request was sent. */
export async function logAliasUse(context: Context, use: LoggedAliasUse): Promise<void> {
  const path = logPath(context);
  try {
    await refuseSpecialFile(path);
    await createFolder(dirname(path), 0o700);
    if ((await readSize(path)) > MAX_LOG_BYTES) await rotateLog(context, path);
    // One write, because other processes append too.
    await appendFile(path, `${JSON.stringify(use)}\n`, { mode: 0o600 });
  } catch (error) {
    printMessage(context, `warning: cannot log the use of an alias: ${describeFileError(error)}`);
  }
}

/** Under a lock: a second process would replace the previous log with the new one. */
const rotateLog = (context: Context, path: string): Promise<void> =>
  withLock(context, path, async () => {
    if ((await readSize(path)) > MAX_LOG_BYTES) await rename(path, previousLogPath(context));
  });

/** Zero for a missing file, which another process may have renamed. */
const readSize = async (path: string): Promise<number> =>
  (await recover(stat(path), { size: 0 }, "ENOENT")).size;

export async function readAliasLog(context: Context): Promise<LoggedAliasUse[]> {
  const texts = await Promise.all([previousLogPath(context), logPath(context)].map(readText));
  const lines = texts.flatMap((text) => text?.split("\n") ?? []);
  return lines.flatMap((line) => parseJsonAs<LoggedAliasUse>(line, useShape) ?? []);
}

async function readText(path: string): Promise<string | null> {
  try {
    return await readRegularFile(path);
  } catch (cause) {
    throw usageError("cannot_read", `cannot read ${path}: ${describeFileError(cause)}`, {
      hint: "remove it, or make it readable",
      cause,
    });
  }
}
