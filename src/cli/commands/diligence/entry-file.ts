import { MAX_UPLOAD_MIB } from "../../../domain/entries/upload-limit.ts";
import { rejectedError } from "../../../domain/errors.ts";
import type { Context } from "../../context.ts";
import { type InputFile, openInput } from "../../files/input-file.ts";
import type { BaseInvocation } from "../../framework/command.ts";

/** Refuses an empty file, and a pipe longer than the largest upload. */
export async function openEntryFile(
  context: Context,
  path: string,
  onEnd: BaseInvocation["onEnd"],
): Promise<InputFile> {
  const file = await openInput(context, path, { maxPipeMib: MAX_UPLOAD_MIB });
  onEnd(file.close);
  if (file.size > 0) return file;
  throw rejectedError("file_empty", `${file.displayName} is empty`, {
    hint: "give a CSV file with a header and entries",
  });
}
