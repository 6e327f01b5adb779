import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../../context.ts";
import { type InputFile, openInput } from "../../files/input-file.ts";
import type { WriteDescription } from "../../write-log/describe-write.ts";

/** A file as the log of writes has it. */
type LoggedFile = Pick<WriteDescription, "bytes" | "fileSha256" | "path">;

/** Finds files of a folder by their bytes: the export of the day before may have another name now. */
export class FolderFiles {
  readonly #context: Context;
  readonly #bySize = new Map<number, string[]>();
  readonly #hashes = new Map<string, string>();

  private constructor(context: Context) {
    this.#context = context;
  }

  static async open(context: Context, folder: string): Promise<FolderFiles> {
    const files = new FolderFiles(context);
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name);
      const found = await stat(path).catch(() => null);
      if (found?.isFile()) files.#bySize.set(found.size, [...(files.#bySize.get(found.size) ?? []), path]);
    }
    return files;
  }

  /** @returns the path of a file with these bytes; null for none */
  async find({ bytes, fileSha256, path }: LoggedFile): Promise<string | null> {
    const paths = this.#bySize.get(bytes ?? -1) ?? [];
    const likely = paths.filter((each) => each === path);
    for (const each of [...likely, ...paths]) if ((await this.#hash(each)) === fileSha256) return each;
    return null;
  }

  async #hash(path: string): Promise<string> {
    let hash = this.#hashes.get(path);
    if (hash === undefined) {
      const file = await openInput(this.#context, path).catch(() => null);
      hash = (await file?.hash().catch(() => "")) ?? "";
      await file?.close();
      this.#hashes.set(path, hash);
    }
    return hash;
  }
}

/** Null if no file with these bytes is there any more. */
export async function openSameFile(
  context: Context,
  path: string,
  { bytes, fileSha256 }: LoggedFile,
): Promise<InputFile | null> {
  const found = await stat(path).catch(() => null);
  if (!found?.isFile() || found.size !== bytes) return null;
  const file = await openInput(context, path).catch(() => null);
  if (file === null || (await file.hash()) === fileSha256) return file;
  await file.close();
  return null;
}
