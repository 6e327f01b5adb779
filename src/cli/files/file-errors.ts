import { ClaimsError, type ErrorDetails, unreachableError, usageError } from "../../domain/errors.ts";

const MESSAGES: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EEXIST: "a file is in the way",
  EFBIG: "the file is larger than this user may write",
  EISDIR: "it is a folder",
  ELOOP: "it is a symbolic link",
  EMFILE: "too many files are open",
  ENOENT: "it does not exist",
  ENOSPC: "the disk is full",
  ENXIO: "it is a socket",
  ENOTDIR: "a file is in the way",
  EPIPE: "its reader has closed it",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
};

export function describeFileError(error: unknown): string {
  if (error instanceof ClaimsError) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  return MESSAGES[code ?? ""] ?? code ?? message;
}

/** Errors of the disk, not of the path: a later run may succeed. */
const DISK_CODES = ["ENOSPC", "EDQUOT", "EFBIG", "EIO"] as const;

export const isDiskError = (error: unknown): boolean => hasErrorCode(error, ...DISK_CODES);

export const cannotWriteError = (message: string, { hint, cause }: ErrorDetails): ClaimsError =>
  isDiskError(cause)
    ? unreachableError("cannot_write", message, {
        hint: "make room on the disk and run the command again",
        cause,
      })
    : usageError("cannot_write", message, { hint, cause });

/** For the `catch` of a read. @param subject as messages name the file */
export const cannotRead =
  (subject: string, hint: string) =>
  (cause: unknown): never => {
    throw usageError("cannot_read", `cannot read ${subject}: ${describeFileError(cause)}`, { hint, cause });
  };

export const toStdoutError = (cause: unknown): ClaimsError =>
  unreachableError("cannot_write", `cannot write to stdout: ${describeFileError(cause)}`, {
    hint: "the output is incomplete; make room and run the command again",
    cause,
  });

/** Describes an error of creating a file, whose folder may be missing. */
export const describeNewFileError = (error: unknown): string =>
  hasErrorCode(error, "ENOENT") ? "its folder does not exist" : describeFileError(error);

/** Replaces a rejection with one of the codes by a value. */
export const recover = <T, F>(work: Promise<T>, fallback: F, ...codes: readonly string[]): Promise<T | F> =>
  work.catch((error: unknown) => {
    if (hasErrorCode(error, ...codes)) return fallback;
    throw error;
  });

export const hasErrorCode = (error: unknown, ...codes: readonly string[]): boolean =>
  codes.includes((error as NodeJS.ErrnoException).code ?? "");
