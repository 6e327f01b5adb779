const MESSAGES: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EEXIST: "a file is in the way",
  EFBIG: "the file is larger than this user may write",
  EISDIR: "it is a folder",
  EMFILE: "too many files are open",
  ENOENT: "it does not exist",
  ENOSPC: "the disk is full",
  ENOTDIR: "a file is in the way",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
};

/** What the operating system says of a file or a command, in words. */
export function describeFileError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return MESSAGES[code ?? ""] ?? code ?? message;
}

/** The same of a file that is to be made, and so is never there: its folder is what is missing. */
export const describeNewFileError = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code === "ENOENT" ? "its folder does not exist" : describeFileError(error);
