import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { groupBy } from "../../../domain/group-by.ts";
import type { Context } from "../../context.ts";
import { type InputFile, openInput } from "../../files/input-file.ts";
import type { WriteDescription } from "../../write-log/describe-write.ts";

/** A file as the log of writes has it. */
type LoggedFile = Pick<WriteDescription, "bytes" | "fileSha256" | "path">;

/** Finds files of a folder by their bytes: the export of the day before may have another name now. */
export class FolderFiles {
  readonly #context: Context;
  readonly #bySize: ReadonlyMap<number, readonly FoundFile[]>;
  /** Of the files that were opened. */
  readonly #hashes = new Map<string, string>();

  private constructor(context: Context, files: readonly FoundFile[]) {
    this.#context = context;
    this.#bySize = groupBy(files, ({ size }) => size);
  }

  static async list(context: Context, folder: string): Promise<FolderFiles> {
    const files: FoundFile[] = [];
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name);
      const found = await stat(path).catch(() => null);
      if (found?.isFile()) files.push({ path, size: found.size });
    }
    return new FolderFiles(context, files);
  }

  /** Opens a file with these bytes, first the one with the same path; null for none. */
  async open({ bytes, fileSha256, path }: LoggedFile): Promise<InputFile | null> {
    const paths = (this.#bySize.get(bytes ?? -1) ?? []).map((file) => file.path);
    const likely = paths.filter((each) => each === path);
    for (const each of [...likely, ...paths]) {
      if ((this.#hashes.get(each) ?? fileSha256) !== fileSha256) continue;
      const opened = await openHashed(this.#context, each);
      this.#hashes.set(each, opened?.hash ?? "");
      if (opened?.hash === fileSha256) return opened?.file ?? null;
      await opened?.file.close();
    }
    return null;
  }
}

interface FoundFile {
  readonly path: string;
  readonly size: number;
}

/** Null if the file at the path has other bytes by now, or none. */
export async function openSameFile(
  context: Context,
  path: string,
  { bytes, fileSha256 }: LoggedFile,
): Promise<InputFile | null> {
  const found = await stat(path).catch(() => null);
  if (!found?.isFile() || found.size !== bytes) return null;
  const opened = await openHashed(context, path);
  if (opened?.hash === fileSha256) return opened?.file ?? null;
  await opened?.file.close();
  return null;
}

/** Null for a file that cannot be read, or that another process writes. */
async function openHashed(context: Context, path: string) {
  const file = await openInput(context, path).catch(() => null);
  if (file === null) return null;
  const hash = await file.hash().catch(() => null);
  if (hash !== null) return { file, hash };
  await file.close();
  return null;
}
